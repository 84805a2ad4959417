package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The security stage (RFC 7143, section 6.3.2): the choice of the authentication method, then the
/// method's own exchange.
final class SecurityNegotiation {
  private static final String AUTH_METHOD = "AuthMethod";
  private static final String CHAP = "CHAP";
  private static final String NONE = "None";

  private final AccessControl access;
  private final NegotiationLimits limits;
  private final SecureRandom random;

  private boolean methodChosen;
  private @Nullable ChapExchange chap;

  /// Creates a negotiation that has not begun.
  ///
  /// @param access the access control of the requested target, or of the discovery session
  SecurityNegotiation(AccessControl access, NegotiationLimits limits, SecureRandom random) {
    this.access = access;
    this.limits = limits;
    this.random = random;
  }

  /// Returns whether a key belongs to this stage.
  static boolean has(String key) {
    return key.equals(AUTH_METHOD) || ChapExchange.has(key);
  }

  /// Returns whether the initiator may leave or skip the stage.
  boolean complete() {
    return chap == null ? !access.authenticates() : chap.user().isPresent();
  }

  /// Returns whether a method is agreed and its exchange is in progress.
  boolean underWay() {
    return chap != null && chap.user().isEmpty();
  }

  /// Returns the CHAP name that the initiator has authenticated with; empty if the initiator has
  /// not authenticated.
  Optional<String> user() {
    return chap == null ? Optional.empty() : chap.user();
  }

  /// Processes those keys of one text that belong to this stage, and adds the answers.
  ///
  /// @param offered the text of the initiator; other keys are ignored
  /// @throws LoginRefusal if authentication failed, or the text violates the protocol
  void step(TextKeys offered, TextKeys answers) throws LoginRefusal {
    boolean chapKeys = offered.pairs().stream().anyMatch(pair -> ChapExchange.has(pair.key()));
    Optional<String> methods = offered.value(AUTH_METHOD);
    if (methods.isPresent()) {
      if (methodChosen || chapKeys) {
        throw LoginRefusal.initiatorError("AuthMethod: expected once, before the exchange");
      }
      choose(methods.get(), answers);
    } else if (chapKeys) {
      ChapExchange exchange = chap;
      if (exchange == null) {
        throw LoginRefusal.initiatorError("CHAP: expected AuthMethod before it");
      }
      exchange.step(offered, answers);
    }
  }

  private void choose(String offer, TextKeys answers) throws LoginRefusal {
    List<String> methods = Arrays.asList(offer.split(",", -1));
    methodChosen = true;
    if (!access.authenticates() && methods.contains(NONE)) {
      answers.add(AUTH_METHOD, NONE);
    } else if (methods.contains(CHAP)) {
      chap = new ChapExchange(access, limits.takeMd5(), random);
      answers.add(AUTH_METHOD, CHAP);
    } else {
      throw LoginRefusal.authenticationFailure("AuthMethod: no method in common");
    }
  }
}
