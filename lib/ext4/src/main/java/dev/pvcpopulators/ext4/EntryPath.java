package dev.pvcpopulators.ext4;

import dev.pvcpopulators.ext4.structure.Name;
import java.util.List;
import java.util.stream.Collectors;

/// Where an entry is, from the root down; no names for the root itself.
public record EntryPath(List<Name> names) {
  /// The root.
  public static final EntryPath ROOT = new EntryPath(List.of());

  public EntryPath {
    names = List.copyOf(names);
  }

  public boolean root() {
    return names.isEmpty();
  }

  /// Its own name.
  ///
  /// @throws java.util.NoSuchElementException of the root
  public Name last() {
    return names.getLast();
  }

  /// What the entry lies in.
  ///
  /// @throws IndexOutOfBoundsException of the root
  public EntryPath parent() {
    return new EntryPath(names.subList(0, names.size() - 1));
  }

  /// An entry below this one.
  public EntryPath child(Name name) {
    List<Name> longer = new java.util.ArrayList<>(names);
    longer.add(name);
    return new EntryPath(longer);
  }

  @Override
  public String toString() {
    return names.stream().map(Name::toString).collect(Collectors.joining("/", "/", ""));
  }
}
