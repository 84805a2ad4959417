package dev.pvcpopulators.kit.settings;

/// The rules for the settings of a service in addition to their types: ranges, forms, and
/// combinations. The rules do not check state that changes, such as registries and free space.
@FunctionalInterface
public interface SettingsRules {
  /// Reports all mistakes in the settings and in the files that they name.
  void check(GivenSettings given, Mistakes found);
}
