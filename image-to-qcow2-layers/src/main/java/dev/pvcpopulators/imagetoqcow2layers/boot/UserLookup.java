package dev.pvcpopulators.imagetoqcow2layers.boot;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.ext4.EntryPath;
import dev.pvcpopulators.ext4.TreeReader;
import dev.pvcpopulators.ext4.structure.Name;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/// Resolves the `User` of an image's configuration in the image's own `/etc/passwd` and
/// `/etc/group`. The value of `User` is `user` or `uid`, with or without `:group` or `:gid` (OCI
/// image-spec 1.1, config.md). A number selects the first entry that has this number as its name or
/// its ID, as in Docker. An ID is also valid without an entry.
public final class UserLookup {
  /// The maximum number of bytes of `/etc/passwd` or `/etc/group`: enough for tens of thousands of
  /// users.
  private static final int MAX_FILE_LENGTH = 4 << 20;

  /// The largest ID that container runtimes accept.
  static final long MAX_ID = Integer.MAX_VALUE;

  /// The maximum number of supplementary groups of a process in Linux (`NGROUPS_MAX`).
  private static final int MAX_GROUPS = 65_536;

  private static final EntryPath ETC = EntryPath.ROOT.child(Name.of("etc"));

  private static final Pattern ID = Pattern.compile("[0-9]{1,10}");

  private final List<String[]> users;
  private final List<String[]> groups;

  private UserLookup(List<String[]> users, List<String[]> groups) {
    this.users = users;
    this.groups = groups;
  }

  /// A resolved user.
  ///
  /// @param groups the supplementary groups: the groups that list the user as a member; empty if
  ///   the configuration names a group, or if the user has no entry
  /// @param home the home directory; `/` if the image does not state a home directory
  public record User(long uid, long gid, List<Long> groups, String home) {
    public User {
      groups = List.copyOf(groups);
    }
  }

  /// Resolves a user.
  ///
  /// @param user the user, or the user and group with a colon between them, each as a name or a
  ///   number; empty for root
  /// @throws UnsupportedFeatureException if the image has no entry for the name of the user or
  ///   group; a number above [#MAX_ID] counts as a name
  /// @throws java.nio.file.FileSystemException if `/etc/passwd` or `/etc/group` is longer than 4
  ///   MiB
  public static User find(String user, TreeReader tree) throws IOException {
    return find(user, lines(tree, "passwd"), lines(tree, "group"));
  }

  /// Resolves a user from the lines of `/etc/passwd` and `/etc/group`.
  ///
  /// @param passwd lines of passwd(5)
  /// @param group lines of group(5)
  static User find(String user, List<String> passwd, List<String> group)
      throws UnsupportedFeatureException {
    return new UserLookup(entries(passwd), entries(group)).find(user);
  }

  private static List<String> lines(TreeReader tree, String name) throws IOException {
    Optional<byte[]> file = tree.file(ETC.child(Name.of(name)), MAX_FILE_LENGTH);
    return file.map(bytes -> new String(bytes, UTF_8).lines().toList()).orElse(List.of());
  }

  private static List<String[]> entries(List<String> lines) {
    return lines.stream().map(line -> line.strip().split(":", -1)).toList();
  }

  private User find(String configured) throws UnsupportedFeatureException {
    int colon = configured.indexOf(':');
    String user = colon < 0 ? configured : configured.substring(0, colon);
    String group = colon < 0 ? "" : configured.substring(colon + 1);
    OptionalLong number = user.isEmpty() ? OptionalLong.of(0) : id(user);
    Optional<String[]> entry = entry(users, user, number, PASSWD_UID);
    if (entry.isEmpty() && number.isEmpty()) {
      throw unknown("user", user, "/etc/passwd");
    }
    long uid = entry.isPresent() ? field(entry.get(), PASSWD_UID) : number.orElseThrow();
    long gid = entry.isPresent() ? field(entry.get(), PASSWD_GID) : 0;
    String home = entry.map(fields -> text(fields, PASSWD_HOME)).orElse("");
    List<Long> supplementary = List.of();
    if (!group.isEmpty()) {
      gid = gid(group);
    } else if (entry.isPresent()) {
      supplementary = groupsOf(entry.get()[0]);
    }
    return new User(uid, gid, supplementary, home.isEmpty() ? "/" : home);
  }

  private static final int PASSWD_UID = 2;
  private static final int PASSWD_GID = 3;
  private static final int PASSWD_HOME = 5;
  private static final int GROUP_GID = 2;
  private static final int GROUP_MEMBERS = 3;

  private long gid(String group) throws UnsupportedFeatureException {
    OptionalLong number = id(group);
    Optional<String[]> entry = entry(groups, group, number, GROUP_GID);
    if (entry.isEmpty() && number.isEmpty()) {
      throw unknown("group", group, "/etc/group");
    }
    return entry.isPresent() ? field(entry.get(), GROUP_GID) : number.orElseThrow();
  }

  private List<Long> groupsOf(String name) {
    List<Long> found = new ArrayList<>();
    for (String[] fields : groups) {
      OptionalLong gid = id(text(fields, GROUP_GID));
      boolean member = List.of(text(fields, GROUP_MEMBERS).split(",", -1)).contains(name);
      if (member && gid.isPresent() && !found.contains(gid.getAsLong())) {
        found.add(gid.getAsLong());
      }
      if (found.size() == MAX_GROUPS) {
        break;
      }
    }
    return found;
  }

  /// Returns the first entry that has this name or, if a number is given, this number as its ID.
  /// Ignores entries without a valid ID.
  private static Optional<String[]> entry(
      List<String[]> entries, String name, OptionalLong number, int idField) {
    for (String[] fields : entries) {
      OptionalLong id = id(text(fields, idField));
      boolean named = !name.isEmpty() && fields[0].equals(name);
      boolean wanted = id.isPresent() && (named || id.equals(number));
      if (wanted) {
        return Optional.of(fields);
      }
    }
    return Optional.empty();
  }

  private static String text(String[] fields, int index) {
    return index < fields.length ? fields[index] : "";
  }

  private static long field(String[] fields, int index) {
    return id(text(fields, index)).orElse(0);
  }

  /// Parses a number from 0 to [#MAX_ID].
  private static OptionalLong id(String text) {
    if (!ID.matcher(text).matches()) {
      return OptionalLong.empty();
    }
    long id = Long.parseLong(text);
    return id > MAX_ID ? OptionalLong.empty() : OptionalLong.of(id);
  }

  private static UnsupportedFeatureException unknown(String what, String name, String file) {
    return new UnsupportedFeatureException(
        ("The image's process must run as the %s %s, but the image's %s has no such entry; expected"
                + " the name of an entry, or a number from 0 to %s")
            .formatted(what, Quoted.of(name), file, MAX_ID));
  }
}
