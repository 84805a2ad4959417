package dev.pvcpopulators.iscsitarget.conformance;

import java.util.List;

/// The logical units to test, over two portals.
interface Fixture extends AutoCloseable {
  /// The kind of a logical unit.
  enum Kind {
    /// Thin provisioned. The logical blocks are as long as the physical blocks. With longer
    /// physical blocks, one suite would corrupt the transfer lengths of all later suites.
    THIN("thin"),
    /// Write protected: only for tests of write protection.
    READ_ONLY("read-only"),
    /// A removable medium.
    REMOVABLE("removable"),
    /// Thin provisioned on our server. Long writes take as long as on a slow disk.
    UNHURRIED("unhurried");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /// Returns the suffix of the target's iSCSI name.
    String label() {
      return label;
    }
  }

  /// Returns the URLs for iscsi-test-cu: the same logical unit over each portal.
  List<String> urls(Kind kind);

  @Override
  void close();
}
