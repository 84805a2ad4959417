package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Name;
import java.util.List;
import java.util.stream.Collectors;

/// The path of an entry: the names from the root down to the entry. The path of the root has no
/// names.
public record EntryPath(List<Name> names) {
  /// The root.
  public static final EntryPath ROOT = new EntryPath(List.of());

  public EntryPath {
    names = List.copyOf(names);
  }

  public boolean root() {
    return names.isEmpty();
  }

  /// Returns the last name.
  ///
  /// @throws java.util.NoSuchElementException if this is the root
  public Name last() {
    return names.getLast();
  }

  /// Returns the path of the parent.
  ///
  /// @throws IllegalArgumentException if this is the root
  public EntryPath parent() {
    return new EntryPath(names.subList(0, names.size() - 1));
  }

  /// Returns the path of a child.
  public EntryPath child(Name name) {
    List<Name> longer = new java.util.ArrayList<>(names);
    longer.add(name);
    return new EntryPath(longer);
  }

  /// Returns the path for messages: `?` replaces each control character (C0, C1 and DEL).
  @Override
  public String toString() {
    return names.stream()
        .map(Name::toString)
        .collect(Collectors.joining("/", "/", ""))
        .replaceAll("\\p{Cc}", "?");
  }
}
