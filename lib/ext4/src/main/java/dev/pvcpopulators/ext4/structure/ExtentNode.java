package dev.pvcpopulators.ext4.structure;

import java.nio.ByteBuffer;
import java.util.List;

/// A node of an extent tree; the root is a node, too (kernel documentation, ext4, "Extent Tree").
///
/// | Offset | Header                             |
/// |-------:|------------------------------------|
/// |      0 | `eh_magic`, 0xf30a                 |
/// |      2 | `eh_entries`, `eh_max`, `eh_depth` |
/// |      8 | `eh_generation`                    |
///
/// | Offset | Extent, in a leaf                     | Index, above the leaves     |
/// |-------:|---------------------------------------|-----------------------------|
/// |      0 | `ee_block`                            | `ei_block`                  |
/// |      4 | `ee_len`; above 32,768 if unwritten   | `ei_leaf_lo`                |
/// |      6 | `ee_start_hi`                         |                             |
/// |      8 | `ee_start_lo`                         | `ei_leaf_hi`, 2 unused      |
final class ExtentNode {
  private static final int ENTRIES = 2;
  private static final int MAX = 4;
  private static final int DEPTH = 6;
  private static final int HEADER_LENGTH = 12;
  private static final int ENTRY_LENGTH = 12;

  private static final int LENGTH = 4;
  private static final int START_HIGH = 6;
  private static final int START_LOW = 8;
  private static final int LEAF_LOW = 4;
  private static final int LEAF_HIGH = 8;

  private ExtentNode() {}

  /// An entry of a leaf, or of a node above the leaves.
  sealed interface Entry permits Extent, ExtentIndex {
    /// Returns the number of the first block that the entry describes, counted from the first block
    /// of the file.
    long logical();
  }

  static int magic(ByteBuffer node) {
    return LittleEndian.u16(node, 0);
  }

  static int entries(ByteBuffer node) {
    return LittleEndian.u16(node, ENTRIES);
  }

  static int max(ByteBuffer node) {
    return LittleEndian.u16(node, MAX);
  }

  static int depth(ByteBuffer node) {
    return LittleEndian.u16(node, DEPTH);
  }

  /// Writes a whole node.
  ///
  /// @param node a buffer of zeros
  /// @param max the number of entries that the node has space for
  static void write(ByteBuffer node, List<? extends Entry> entries, int max, int depth) {
    LittleEndian.put16(node, 0, Ext4Format.EXTENT_MAGIC);
    LittleEndian.put16(node, ENTRIES, entries.size());
    LittleEndian.put16(node, MAX, max);
    LittleEndian.put16(node, DEPTH, depth);
    int at = HEADER_LENGTH;
    for (Entry entry : entries) {
      LittleEndian.put32(node, at, entry.logical());
      switch (entry) {
        case Extent extent -> putExtent(node, at, extent);
        case ExtentIndex index -> putIndex(node, at, index);
      }
      at += ENTRY_LENGTH;
    }
  }

  static Extent extent(ByteBuffer node, int index) {
    int at = HEADER_LENGTH + index * ENTRY_LENGTH;
    long high = LittleEndian.u16(node, at + START_HIGH);
    return new Extent(
        LittleEndian.u32(node, at),
        (high << Integer.SIZE) | LittleEndian.u32(node, at + START_LOW),
        LittleEndian.u16(node, at + LENGTH));
  }

  private static void putExtent(ByteBuffer node, int at, Extent extent) {
    LittleEndian.put16(node, at + LENGTH, extent.length());
    LittleEndian.put16(node, at + START_HIGH, (int) (extent.start() >>> Integer.SIZE));
    LittleEndian.put32(node, at + START_LOW, extent.start());
  }

  static ExtentIndex index(ByteBuffer node, int index) {
    int at = HEADER_LENGTH + index * ENTRY_LENGTH;
    long high = LittleEndian.u16(node, at + LEAF_HIGH);
    return new ExtentIndex(
        LittleEndian.u32(node, at), (high << Integer.SIZE) | LittleEndian.u32(node, at + LEAF_LOW));
  }

  private static void putIndex(ByteBuffer node, int at, ExtentIndex index) {
    LittleEndian.put32(node, at + LEAF_LOW, index.node());
    LittleEndian.put16(node, at + LEAF_HIGH, (int) (index.node() >>> Integer.SIZE));
  }
}
