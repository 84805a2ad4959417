package dev.pvcpopulators.it.torture.fault;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A fault of the host on which the process runs: of its disk, its memory, its clock or its limits.
public non-sealed interface MachineFault extends Fault {
  /// Returns one fault of each kind, for one subject.
  static List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    Arrays.stream(DiskFault.Kind.values()).map(DiskFault::new).forEach(all::add);
    Arrays.stream(CallFault.Kind.values()).map(CallFault::new).forEach(all::add);
    all.addAll(List.of(LimitFault.values()));
    return all;
  }
}
