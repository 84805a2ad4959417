package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// A directory of targets without logical units.
final class FakeTargets implements TargetDirectory {
  static final String OPEN = "iqn.2026-01.test:open";
  static final String CHAP = "iqn.2026-01.test:chap";
  static final String HIDDEN = "iqn.2026-01.test:hidden";
  static final String USER = "someone";
  static final String SECRET = "a secret of 96 bits or more";
  static final String TARGET_SECRET = "what the target knows itself";

  final List<Listing> listings = new ArrayList<>();
  final Map<String, FakeAccess> targets = new HashMap<>();

  /// The access control of discovery sessions.
  final FakeAccess discovery = new FakeAccess();

  FakeTargets() {
    targets.put(OPEN, new FakeAccess());
    targets.put(CHAP, new FakeAccess());
    targets.put(HIDDEN, new FakeAccess());
    FakeAccess chap = access(CHAP);
    chap.authenticates = true;
    chap.secrets.put(USER, secret(SECRET));
    chap.identity = Optional.of(new ChapIdentity("the target", secret(TARGET_SECRET)));
    access(HIDDEN).hidden = true;
  }

  static ChapSecret secret(String text) {
    return new ChapSecret(text.getBytes(StandardCharsets.UTF_8));
  }

  FakeAccess access(String target) {
    FakeAccess access = targets.get(target);
    if (access == null) {
      throw new AssertionError("No target " + target);
    }
    return access;
  }

  @Override
  public Optional<AccessControl> target(String name) {
    return Optional.ofNullable(targets.get(name));
  }

  @Override
  public AccessControl discovery(String initiatorName, InetAddress address) {
    return discovery;
  }

  @Override
  public List<Listing> listings(String initiatorName, InetAddress address) {
    return listings;
  }

  /// Access control whose values a test sets.
  static final class FakeAccess implements AccessControl {
    final Map<String, ChapSecret> secrets = new HashMap<>();
    final Set<String> asked = new HashSet<>();
    Optional<ChapIdentity> identity = Optional.empty();
    boolean authenticates;
    boolean hidden;

    @Override
    public boolean admits(String initiatorName, InetAddress address) {
      asked.add(initiatorName + " at " + address.getHostAddress());
      return !hidden;
    }

    @Override
    public boolean authenticates() {
      return authenticates;
    }

    @Override
    public Optional<ChapSecret> secret(String user) {
      return Optional.ofNullable(secrets.get(user));
    }

    @Override
    public Optional<ChapIdentity> identity() {
      return identity;
    }
  }
}
