package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import dev.pvcpopulators.iscsitarget.pdu.login.LoginStatus;
import java.net.InetAddress;
import java.util.Optional;

/// The initiator and the target of a login: the first request states them (RFC 7143, section
/// 6.3.1), and a later request cannot change them.
///
/// @param initiatorName the initiator's name in canonical form
/// @param targetName the target's name in canonical form; empty in a discovery session
/// @param access the access control of the target, or of the discovery session
record LoginIdentity(
    IscsiName initiatorName, SessionType type, String targetName, AccessControl access) {
  private static final String INITIATOR_NAME = "InitiatorName";
  private static final String INITIATOR_ALIAS = "InitiatorAlias";
  private static final String SESSION_TYPE = "SessionType";
  private static final String TARGET_NAME = "TargetName";

  /// Returns whether a key states the initiator, the target or the type of the session.
  static boolean has(String key) {
    return switch (key) {
      case INITIATOR_NAME, INITIATOR_ALIAS, SESSION_TYPE, TARGET_NAME -> true;
      default -> false;
    };
  }

  /// Reads the identity from the text of the first request.
  ///
  /// @throws LoginRefusal if a required key is missing, a value is invalid, the target does not
  ///   exist, or the initiator may not see the target
  static LoginIdentity of(TextKeys text, TargetDirectory directory, InetAddress remote)
      throws LoginRefusal {
    IscsiName initiator =
        name(text, INITIATOR_NAME)
            .orElseThrow(() -> LoginRefusal.initiatorError("InitiatorName: not an iSCSI name"));
    SessionType type =
        switch (text.value(SESSION_TYPE).orElse("Normal")) {
          case "Normal" -> SessionType.NORMAL;
          case "Discovery" -> SessionType.DISCOVERY;
          default ->
              throw new LoginRefusal(
                  LoginStatus.SESSION_TYPE_NOT_SUPPORTED,
                  "SessionType: expected Normal or Discovery");
        };
    if (type == SessionType.DISCOVERY) {
      AccessControl access = directory.discovery(initiator.value(), remote);
      return new LoginIdentity(initiator, type, "", access);
    }
    // For an invalid target name, the answer is "not found", as for a target that does not exist.
    String target = name(text, TARGET_NAME).map(IscsiName::value).orElse("");
    AccessControl access =
        directory
            .target(target)
            .filter(found -> found.admits(initiator.value(), remote))
            .orElseThrow(() ->
                new LoginRefusal(
                    LoginStatus.NOT_FOUND, "TargetName: unknown target for " + initiator.value()));
    return new LoginIdentity(initiator, type, target, access);
  }

  private static Optional<IscsiName> name(TextKeys text, String key) throws LoginRefusal {
    return IscsiName.parse(
        text.value(key)
            .orElseThrow(
                () -> new LoginRefusal(LoginStatus.MISSING_PARAMETER, key + ": expected one")));
  }
}
