package dev.pvcpopulators.iscsitarget.conformance;

import java.util.List;

/// The logical units for the tests. Initiators can reach each logical unit through two portals.
interface Fixture extends AutoCloseable {
  enum Kind {
    /// A thin provisioned logical unit whose physical blocks are as long as its logical blocks.
    /// Longer physical blocks cause wrong transfer lengths in later suites.
    THIN("thin"),
    /// A write-protected logical unit.
    READ_ONLY("read-only"),
    /// A removable medium.
    REMOVABLE("removable"),
    /// A thin provisioned logical unit. On our server, its long writes take as long as on a slow
    /// disk.
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

  /// Returns the URLs of a logical unit for iscsi-test-cu, one URL for each portal.
  List<String> urls(Kind kind);

  @Override
  void close();
}
