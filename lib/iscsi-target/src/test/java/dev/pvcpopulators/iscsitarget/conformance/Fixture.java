package dev.pvcpopulators.iscsitarget.conformance;

import java.util.List;

/// Logical units to test, over two portals.
interface Fixture extends AutoCloseable {
  /// Which logical unit.
  enum Kind {
    /// Thin provisioned, logical blocks as long as physical ones. With physical blocks of several
    /// logical ones, a suite would falsify transfer lengths of all that comes after it.
    THIN("thin"),
    /// Write protected: only tests of that are good there.
    READ_ONLY("read-only"),
    /// A removable medium.
    REMOVABLE("removable"),
    /// Thin provisioned, too, where it is ours; long writes take as long as a disk's.
    UNHURRIED("unhurried");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /// What its target's iSCSI name ends with.
    String label() {
      return label;
    }
  }

  /// What iscsi-test-cu is given: the same logical unit over each portal.
  List<String> urls(Kind kind);

  @Override
  void close();
}
