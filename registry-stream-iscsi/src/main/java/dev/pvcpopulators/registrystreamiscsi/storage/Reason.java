package dev.pvcpopulators.registrystreamiscsi.storage;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/// Formats exceptions for messages and log lines.
///
/// Some file exceptions of the JDK have only a path as their message. This class adds an
/// explanation to the path.
public final class Reason {
  private Reason() {}

  public static String of(Exception e) {
    return e instanceof FileSystemException file
        ? file.getFile() + ": " + condition(file)
        : String.valueOf(e.getMessage());
  }

  private static String condition(FileSystemException e) {
    return switch (e) {
      case NoSuchFileException _ -> "expected an existing file, found none";
      case AccessDeniedException _ -> "expected permission to access the file, found none";
      case NotDirectoryException _ -> "expected a directory, found something else";
      case DirectoryNotEmptyException _ -> "expected an empty directory, found something in it";
      default -> Objects.requireNonNullElse(e.getReason(), e.getClass().getSimpleName());
    };
  }
}
