package dev.pvcpopulators.iscsitarget.unit;

import dev.pvcpopulators.iscsitarget.scsi.UnitAttention;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The unit attentions that a nexus has not been told yet: each at most once, so there is nothing
/// to overflow. Thread-safe; to ask whether there is one costs next to nothing.
final class PendingAttentions {
  private static final Set<UnitAttention> RESETS = resets();

  /// In order of importance, as the enum is.
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

  /// Takes the most important one out; null where there is none.
  synchronized @Nullable UnitAttention poll() {
    if (pending.isEmpty()) {
      return null;
    }
    UnitAttention first = pending.iterator().next();
    clear(first);
    return first;
  }

  /// Takes one of them out that became known in another way.
  synchronized void clear(UnitAttention attention) {
    pending.remove(attention);
    any = !pending.isEmpty();
  }
}
