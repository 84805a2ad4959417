package dev.pvcpopulators.iscsitarget.login;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// What SendTargets tells (RFC 7143, appendix C): of each target its name and its addresses, each
/// with the portal group's tag.
final class SendTargets {
  static final String KEY = "SendTargets";

  /// Most bytes of an answer; targets that go beyond are not told.
  static final int MAX_LENGTH = 262_144;

  private static final String ALL = "All";
  private static final String TARGET_NAME = "TargetName";
  private static final String TARGET_ADDRESS = "TargetAddress";

  private SendTargets() {}

  /// The targets that the initiator may know of.
  ///
  /// @param scope `All`; a target's name; or nothing, which is the target that the session is for
  /// @param parameters of the session that asks
  /// @return empty where the session may not ask that
  static Optional<TextKeys> answer(
      String scope, SessionParameters parameters, TargetDirectory directory, InetAddress remote) {
    boolean discovery = parameters.type() == SessionType.DISCOVERY;
    String wanted = scope.isEmpty() ? parameters.targetName() : scope;
    if (wanted.isEmpty() || (wanted.equals(ALL) && !discovery)) {
      return Optional.empty();
    }
    List<TargetDirectory.Listing> listings = directory.listings(parameters.initiatorName(), remote);
    Optional<IscsiName> name = IscsiName.parse(wanted);
    TextKeys answer = new TextKeys();
    int length = 0;
    for (TargetDirectory.Listing listing : listings) {
      boolean told =
          wanted.equals(ALL) || name.filter(n -> n.value().equals(listing.name())).isPresent();
      if (!told) {
        continue;
      }
      TextKeys target = target(listing);
      length += target.length();
      if (length > MAX_LENGTH) {
        break;
      }
      answer.addAll(target);
    }
    return Optional.of(answer);
  }

  private static TextKeys target(TargetDirectory.Listing listing) {
    TextKeys keys = new TextKeys().add(TARGET_NAME, listing.name());
    for (String address : listing.addresses()) {
      keys.add(TARGET_ADDRESS, address + "," + LoginMachine.PORTAL_GROUP);
    }
    return keys;
  }
}
