package dev.pvcpopulators.populate;

import org.jspecify.annotations.Nullable;

/// Reports that no usable kubeconfig was found. The process then exits with code 78 (`EX_CONFIG`).
final class ConfigurationException extends Exception {
  private static final long serialVersionUID = 1L;

  ConfigurationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
