package dev.pvcpopulators.imagetoqcow2layers.store;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.pvcpopulators.registry.Digest;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/// The record beside a layer's file. The record identifies the file that this service made, and the
/// blobs that contain the layer.
///
/// A record is a text file. The first line is the state of the layer's file. One line per verified
/// blob follows, with the blob's digest, a space and its registry. The record and the layer's file
/// must belong to the user of this process. The state consists of the inode number, the length, the
/// modification time and the change time. A user cannot set the change time, so a replaced or
/// changed file has another state. A process of the same user or of root can also write a record:
/// see docs/security.md.
final class LayerRecord {
  private static final int MAX_LENGTH = 128 << 10;

  /// The maximum number of proofs of one record. If a record is full, each further blob is pulled
  /// and verified at every request.
  private static final int MAX_PROOFS = 256;

  /// A blob that contained the layer, and the registry of the blob. Only this registry can confirm
  /// that a caller may read the blob, because the operator of another registry could give a false
  /// confirmation.
  ///
  /// @param blob the digest of the blob
  /// @param registry the registry in lower case, without line breaks; the same fixed name for every
  ///   layout and archive, because all of them belong to the operator of the service
  record Proof(Digest blob, String registry) {
    static Proof parse(String line) {
      int space = line.indexOf(' ');
      if (space < 0) {
        throw new IllegalArgumentException("Expected DIGEST REGISTRY, found no space");
      }
      return new Proof(Digest.parse(line.substring(0, space)), line.substring(space + 1));
    }

    @Override
    public String toString() {
      return blob + " " + registry;
    }
  }

  private LayerRecord() {}

  /// Reads the record of a layer.
  ///
  /// @return the blobs whose content had the layer's diff ID in a verified pull; empty if there is
  ///   no record, or if the record is malformed or belongs to another file or another user
  static Optional<List<Proof>> read(Path directory, String layer) throws IOException {
    Path file = directory.resolve(StoreNames.record(layer));
    try {
      Map<String, Object> attributes = attributes(file);
      boolean ours =
          owned(attributes)
              && Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
              && attributes.getOrDefault("size", Long.MAX_VALUE) instanceof Long length
              && length <= MAX_LENGTH;
      if (!ours) {
        return Optional.empty();
      }
      List<String> lines = Files.readString(file, US_ASCII).lines().toList();
      Map<String, Object> found = attributes(directory.resolve(layer));
      if (lines.isEmpty() || !owned(found) || !lines.getFirst().equals(state(found))) {
        return Optional.empty();
      }
      return Optional.of(lines.stream().skip(1).map(Proof::parse).toList());
    } catch (NoSuchFileException | CharacterCodingException | IllegalArgumentException _) {
      // Without a valid record the layer is treated as missing.
      return Optional.empty();
    }
  }

  /// Records that a blob contains a layer of the store. Does nothing if the record has this proof,
  /// or has [#MAX_PROOFS] proofs.
  static void add(Path directory, String layer, Proof proof) throws IOException {
    List<Proof> proofs = new ArrayList<>(read(directory, layer).orElse(List.of()));
    if (proofs.contains(proof) || proofs.size() >= MAX_PROOFS) {
      return;
    }
    proofs.add(proof);
    write(directory, layer, proofs);
  }

  /// Writes a record with the present state of a layer's file, and replaces an existing record.
  static void write(Path directory, String layer, List<Proof> proofs) throws IOException {
    StringBuilder text = new StringBuilder(state(attributes(directory.resolve(layer))));
    text.append('\n');
    proofs.forEach(proof -> text.append(proof).append('\n'));
    Path making = directory.resolve(StoreNames.makingRecord(layer));
    try {
      Files.writeString(
          making, text, US_ASCII, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      Files.move(
          making,
          directory.resolve(StoreNames.record(layer)),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (FileAlreadyExistsException e) {
      throw new IOException("Another process is writing " + making, e);
    } finally {
      Files.deleteIfExists(making);
    }
  }

  private static Map<String, Object> attributes(Path file) throws IOException {
    return Files.readAttributes(
        file, "unix:uid,ino,size,lastModifiedTime,ctime", LinkOption.NOFOLLOW_LINKS);
  }

  private static boolean owned(Map<String, Object> attributes) throws IOException {
    Object own = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    return own != null && own.equals(attributes.get("uid"));
  }

  private static String state(Map<String, Object> attributes) {
    return attributes.get("ino")
        + " "
        + attributes.get("size")
        + " "
        + time(attributes, "lastModifiedTime")
        + " "
        + time(attributes, "ctime");
  }

  private static Instant time(Map<String, Object> attributes, String name) {
    return ((FileTime) Objects.requireNonNull(attributes.get(name), name)).toInstant();
  }
}
