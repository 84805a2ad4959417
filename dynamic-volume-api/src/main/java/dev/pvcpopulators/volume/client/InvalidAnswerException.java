package dev.pvcpopulators.volume.client;

import java.io.IOException;

/// Reports an answer that does not follow the contract, for example because the address belongs to
/// another program, or because a proxy has answered. The message quotes at most a few words of the
/// answer.
public final class InvalidAnswerException extends IOException {
  private static final long serialVersionUID = 1L;

  InvalidAnswerException(String message) {
    super(message);
  }

  InvalidAnswerException(String message, Throwable cause) {
    super(message, cause);
  }
}
