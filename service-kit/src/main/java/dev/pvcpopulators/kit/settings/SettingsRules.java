package dev.pvcpopulators.kit.settings;

/// The rules for the values of a service's settings: ranges, forms, and combinations. [StartCheck]
/// checks the types of the values separately. The rules do not check state that changes, such as
/// registries and free space.
@FunctionalInterface
public interface SettingsRules {
  /// Reports all mistakes in the settings and in the files that the settings name.
  ///
  /// @param found receives the mistakes
  void check(GivenSettings given, Mistakes found);
}
