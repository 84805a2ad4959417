package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The pending unit attentions of a nexus: each at most once, so that they cannot overflow.
/// Thread-safe; the check whether there is one is cheap.
final class PendingAttentions {
  private static final Set<UnitAttention> RESETS = resets();

  /// In order of importance, the order of the enum.
  private final EnumSet<UnitAttention> pending = EnumSet.noneOf(UnitAttention.class);

  private volatile boolean any;

  private static Set<UnitAttention> resets() {
    Set<UnitAttention> resets = EnumSet.noneOf(UnitAttention.class);
    for (UnitAttention attention : UnitAttention.values()) {
      if (attention.reset()) {
        resets.add(attention);
      }
    }
    return resets;
  }

  synchronized void post(UnitAttention attention) {
    pending.add(attention);
    EnumSet<UnitAttention> resets = EnumSet.copyOf(pending);
    resets.retainAll(RESETS);
    if (resets.size() > 1) {
      resets.remove(resets.iterator().next());
      pending.removeAll(resets);
    }
    any = true;
  }

  boolean any() {
    return any;
  }

  /// Removes and returns the most important one; null if there is none.
  synchronized @Nullable UnitAttention poll() {
    if (pending.isEmpty()) {
      return null;
    }
    UnitAttention first = pending.iterator().next();
    clear(first);
    return first;
  }

  /// Removes a unit attention that was reported in another way.
  synchronized void clear(UnitAttention attention) {
    pending.remove(attention);
    any = !pending.isEmpty();
  }
}
