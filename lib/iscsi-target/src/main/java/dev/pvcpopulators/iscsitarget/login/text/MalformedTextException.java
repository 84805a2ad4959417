package dev.pvcpopulators.iscsitarget.login.text;

import java.io.IOException;

/// The text is not a sequence of `key=value` pairs, repeats a key, or exceeds a limit.
public final class MalformedTextException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedTextException(String message) {
    super(message);
  }
}
