package dev.pvcpopulators.diskimage.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/// Resolves symbolic links as the kernel does, and refuses targets outside the root.
///
/// A check of only the text of a link is not sufficient: if `b` is itself a symbolic link, `a/b/..`
/// may differ from `a`.
final class LinkTarget {
  private static final int MOST_LINKS = 40;

  private LinkTarget() {}

  /// Checks a link that exists below the root. A component that is not a symbolic link counts as a
  /// directory, even if the component does not exist or is a file.
  ///
  /// @throws MalformedImageException if the target of the link, or of another link on the path to
  ///   that target, is absolute or longer than 4096 bytes; if the path leads out of the root; or if
  ///   the path has more than 40 links, `link` included
  static void checkInside(Path root, Path link) throws IOException {
    Deque<String> pending = new ArrayDeque<>();
    push(pending, text(root, link));
    Deque<String> at = new ArrayDeque<>();
    for (Path component : root.relativize(link)) {
      at.addLast(component.toString());
    }
    at.removeLast();
    int links = 1;
    while (!pending.isEmpty()) {
      String component = pending.removeFirst();
      if (component.equals("..")) {
        if (at.pollLast() == null) {
          throw refused(root, link, "it points outside the archive");
        }
      } else if (!component.isEmpty() && !component.equals(".")) {
        Path next = root.resolve(String.join("/", at)).resolve(component);
        if (Files.isSymbolicLink(next)) {
          links++;
          if (links > MOST_LINKS) {
            throw refused(root, link, "it resolves through more than " + MOST_LINKS + " links");
          }
          push(pending, text(root, next));
        } else {
          at.addLast(component);
        }
      }
    }
  }

  private static String text(Path root, Path link) throws IOException {
    String text = Files.readSymbolicLink(link).toString();
    if (text.startsWith("/")) {
      throw refused(root, link, "its target is absolute");
    }
    if (text.getBytes(UTF_8).length > ArchiveLimits.NAME_LENGTH) {
      throw refused(root, link, "its target is too long");
    }
    return text;
  }

  private static void push(Deque<String> pending, String text) {
    String[] components = text.split("/", -1);
    for (int i = components.length - 1; i >= 0; i--) {
      pending.addFirst(components[i]);
    }
  }

  /// Returns whether the path exists. A symbolic link counts as existing even if its target does
  /// not exist.
  static boolean exists(Path path) {
    return Files.exists(path, NOFOLLOW_LINKS);
  }

  private static MalformedImageException refused(Path root, Path link, String reason) {
    return new MalformedImageException(
        "symbolic link " + Quoted.of(root.relativize(link).toString()), -1, reason);
  }
}
