package dev.pvcpopulators.iscsitarget.directory;

import dev.pvcpopulators.iscsitarget.login.IscsiName;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/// The targets of a server by name. Thread-safe.
public final class Targets {
  private final ConcurrentHashMap<String, Target> byName = new ConcurrentHashMap<>();

  /// Adds a target.
  ///
  /// @throws IllegalArgumentException if the name is in use, or is not an iSCSI name in canonical
  ///   form
  public void add(Target target) {
    Optional<IscsiName> name = IscsiName.parse(target.name());
    if (name.isEmpty() || !name.get().value().equals(target.name())) {
      throw new IllegalArgumentException(
          "Target name: expected an iSCSI name in small letters, found " + target.name());
    }
    if (byName.putIfAbsent(target.name(), target) != null) {
      throw new IllegalArgumentException("Target name: " + target.name() + " is taken");
    }
  }

  public void remove(String name) {
    byName.remove(name);
  }

  public Optional<Target> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  public List<Target> all() {
    return List.copyOf(byName.values());
  }
}
