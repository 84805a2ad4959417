package dev.pvcpopulators.iscsitarget.login.text;

import java.io.IOException;

/// The text is not a sequence of `key=value` pairs, or has too many of them.
public final class MalformedTextException extends IOException {
  private static final long serialVersionUID = 1L;

  public MalformedTextException(String message) {
    super(message);
  }
}
