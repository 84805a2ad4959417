package dev.pvcpopulators.registrystreamiscsi;

import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/// What an exception has to say, in words, for a message or a line of the log.
///
/// Those that the JDK has for some conditions of files have a path for a message, and nothing else.
final class Reason {
  private Reason() {}

  static String of(Exception e) {
    return e instanceof FileSystemException file
        ? file.getFile() + ": " + condition(file)
        : String.valueOf(e.getMessage());
  }

  private static String condition(FileSystemException e) {
    return switch (e) {
      case NoSuchFileException _ -> "expected that it is there, found nothing";
      case AccessDeniedException _ -> "expected leave to use it, found none";
      case NotDirectoryException _ -> "expected a directory, found something else";
      case DirectoryNotEmptyException _ -> "expected an empty directory, found something in it";
      default -> Objects.requireNonNullElse(e.getReason(), e.getClass().getSimpleName());
    };
  }
}
