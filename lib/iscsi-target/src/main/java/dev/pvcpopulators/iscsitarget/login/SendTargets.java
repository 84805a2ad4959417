package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/// The answer to SendTargets (RFC 7143, appendix C): the name of each target, then the addresses of
/// this target. Each address ends with the portal group tag.
final class SendTargets {
  static final String KEY = "SendTargets";

  /// The maximum number of bytes of an answer. An answer omits the first target that does not fit
  /// into this length, and all later targets.
  static final int MAX_LENGTH = 262_144;

  private static final String ALL = "All";
  private static final String TARGET_NAME = "TargetName";
  private static final String TARGET_ADDRESS = "TargetAddress";

  private SendTargets() {}

  /// Returns the targets that are in the scope, except targets that the initiator may not see.
  ///
  /// @param scope `All`; a target's name; or an empty text for the target of the session
  /// @param parameters the parameters of the requesting session
  /// @return the answer, without keys if the initiator may see no target in the scope;
  ///   `Optional.empty()` if the session may not request this scope
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
      length += target.write().remaining();
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
