package dev.pvcpopulators.iscsitarget.login;

import java.io.IOException;

/// Text that is no sequence of `key=value` pairs, or has too much of them.
public final class MalformedTextException extends IOException {
  private static final long serialVersionUID = 1L;

  MalformedTextException(String message) {
    super(message);
  }
}
