package dev.pvcpopulators.volume.client;

import java.io.IOException;

/// Reports an answer that does not follow the contract. For example, the address belongs to another
/// program, or a proxy has answered. The message quotes at most a few words of the answer.
public final class InvalidAnswerException extends IOException {
  private static final long serialVersionUID = 1L;

  InvalidAnswerException(String message) {
    super(message);
  }

  InvalidAnswerException(String message, Throwable cause) {
    super(message, cause);
  }
}
