package dev.pvcpopulators.ext4;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.ext4.block.BlockDevice;
import dev.pvcpopulators.ext4.structure.Bytes;
import dev.pvcpopulators.ext4.structure.DeviceNumber;
import dev.pvcpopulators.ext4.structure.FileType;
import dev.pvcpopulators.ext4.structure.Name;
import dev.pvcpopulators.ext4.structure.Timestamp;
import dev.pvcpopulators.ext4.structure.Xattr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/// The edits of a layer, with strings for paths and contents.
record Layer(LayerEdit edit) {
  static final Attributes PLAIN = attributes(0644, 0, 0, 1_000_000_000);
  static final Attributes LINK = attributes(0777, 0, 0, 1_000_000_000);

  @FunctionalInterface
  interface Content {
    void in(Layer layer) throws IOException;
  }

  /// Applies a layer to a disk and checks the result.
  static void apply(DiskFile disk, Content content) throws IOException {
    applyUnchecked(disk, content);
    disk.check();
  }

  static void applyUnchecked(BlockDevice disk, Content content) throws IOException {
    try (LayerEdit edit = LayerEdit.open(disk)) {
      content.in(new Layer(edit));
      edit.finish();
    }
  }

  static Attributes attributes(int permissions, long uid, long gid, long seconds) {
    return new Attributes(permissions, uid, gid, new Timestamp(seconds, 0), List.of());
  }

  static EntryPath path(String text) {
    List<Name> names = new ArrayList<>();
    for (String name : text.split("/", -1)) {
      if (!name.isEmpty()) {
        names.add(Name.of(name));
      }
    }
    return new EntryPath(names);
  }

  Layer directory(String path) throws IOException {
    edit.directory(path(path), attributes(0755, 0, 0, 1_000_000_000));
    return this;
  }

  Layer file(String path, String content) throws IOException {
    return file(path, content.getBytes(UTF_8), PLAIN);
  }

  Layer file(String path, byte[] content, Attributes attributes) throws IOException {
    try (FileContent file = edit.file(path(path), attributes, content.length)) {
      file.write(ByteBuffer.wrap(content));
    }
    return this;
  }

  Layer link(String path, String target) throws IOException {
    edit.symbolicLink(path(path), LINK, Bytes.of(target.getBytes(UTF_8)));
    return this;
  }

  Layer hardLink(String path, String target) throws IOException {
    edit.hardLink(path(path), path(target));
    return this;
  }

  Layer special(String path, FileType type, int major, int minor) throws IOException {
    edit.special(path(path), PLAIN, type, new DeviceNumber(major, minor));
    return this;
  }

  Layer whiteout(String path) throws IOException {
    edit.whiteout(path(path));
    return this;
  }

  Layer opaque(String path) throws IOException {
    edit.opaque(path(path));
    return this;
  }

  static Xattr xattr(String name, byte... value) {
    return new Xattr(name, Bytes.of(value));
  }
}
