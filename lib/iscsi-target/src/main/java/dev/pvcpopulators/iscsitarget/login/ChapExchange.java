package dev.pvcpopulators.iscsitarget.login;

import dev.pvcpopulators.iscsitarget.login.text.BinaryValue;
import dev.pvcpopulators.iscsitarget.login.text.NumericalValue;
import dev.pvcpopulators.iscsitarget.login.text.TextKeys;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The target's side of one CHAP exchange (RFC 7143, sections 9.2.1 and 12.1.3; RFC 1994).
///
/// | Initiator                          | Target                    |
/// |------------------------------------|---------------------------|
/// | CHAP_A=list                        | CHAP_A, CHAP_I, CHAP_C    |
/// | CHAP_N, CHAP_R, mutual: CHAP_I, CHAP_C | mutual: CHAP_N, CHAP_R |
///
/// The initiator has to authenticate before the target answers a challenge of the initiator. The
/// check of an unknown user takes as long as the check of a wrong secret.
final class ChapExchange {
  /// The longest accepted challenge of an initiator, in bytes.
  static final int MAX_CHALLENGE_LENGTH = 1024;

  private static final String ALGORITHM = "CHAP_A";
  private static final String IDENTIFIER = "CHAP_I";
  private static final String CHALLENGE = "CHAP_C";
  private static final String NAME = "CHAP_N";
  private static final String RESPONSE = "CHAP_R";
  private static final int IDENTIFIERS = 256;

  private final AccessControl access;
  private final boolean takeMd5;
  private final SecureRandom random;

  private @Nullable ChapAlgorithm algorithm;
  private int identifier;
  private byte[] challenge = {};
  private @Nullable String user;

  ChapExchange(AccessControl access, boolean takeMd5, SecureRandom random) {
    this.access = access;
    this.takeMd5 = takeMd5;
    this.random = random;
  }

  /// Returns whether a key belongs to CHAP.
  static boolean has(String key) {
    return switch (key) {
      case ALGORITHM, IDENTIFIER, CHALLENGE, NAME, RESPONSE -> true;
      default -> false;
    };
  }

  /// Returns the CHAP name that the initiator has authenticated with; empty before the
  /// authentication.
  Optional<String> user() {
    return Optional.ofNullable(user);
  }

  /// Processes the CHAP keys of one text of the initiator and adds the answers.
  ///
  /// @param offered the text; keys that do not belong to CHAP are ignored
  /// @throws LoginRefusal if authentication failed, or the request violates the protocol
  void step(TextKeys offered, TextKeys answers) throws LoginRefusal {
    if (user != null) {
      throw LoginRefusal.initiatorError("CHAP: expected nothing after the response");
    }
    ChapAlgorithm chosen = algorithm;
    if (chosen == null) {
      challenge(offered, answers);
    } else {
      verify(chosen, offered, answers);
    }
  }

  private void challenge(TextKeys offered, TextKeys answers) throws LoginRefusal {
    Optional<String> offer = offered.value(ALGORITHM);
    if (offer.isEmpty() || holdsAny(offered, IDENTIFIER, CHALLENGE, NAME, RESPONSE)) {
      throw LoginRefusal.initiatorError("CHAP: expected CHAP_A first");
    }
    ChapAlgorithm chosen =
        ChapAlgorithm.strongest(offer.get(), takeMd5)
            .orElseThrow(() -> LoginRefusal.authenticationFailure("CHAP: no algorithm in common"));
    algorithm = chosen;
    identifier = random.nextInt(IDENTIFIERS);
    challenge = new byte[chosen.length()];
    random.nextBytes(challenge);
    answers
        .add(ALGORITHM, chosen.number())
        .add(IDENTIFIER, identifier)
        .add(CHALLENGE, BinaryValue.write(challenge));
  }

  private void verify(ChapAlgorithm chosen, TextKeys offered, TextKeys answers)
      throws LoginRefusal {
    Optional<String> name = offered.value(NAME);
    Optional<String> response = offered.value(RESPONSE);
    if (name.isEmpty() || response.isEmpty() || holdsAny(offered, ALGORITHM)) {
      throw LoginRefusal.initiatorError("CHAP: expected CHAP_N and CHAP_R after the challenge");
    }
    if (name.get().isEmpty() || name.get().length() > TextKeys.MAX_VALUE_LENGTH) {
      throw LoginRefusal.initiatorError("CHAP_N: expected 1 to 255 characters");
    }
    byte[] nobodys = noSecret();
    byte[] secret = access.secret(name.get()).map(ChapSecret::bytes).orElse(nobodys);
    byte[] expected = chosen.response(identifier, secret, challenge);
    byte[] found = BinaryValue.parse(response.get(), chosen.length()).orElse(new byte[0]);
    if (!MessageDigest.isEqual(expected, found)) {
      throw LoginRefusal.authenticationFailure("CHAP: the response is wrong");
    }
    if (holdsAny(offered, IDENTIFIER, CHALLENGE)) {
      prove(chosen, offered, secret, answers);
    }
    user = name.get();
  }

  /// Answers the initiator's challenge (mutual authentication).
  private void prove(
      ChapAlgorithm chosen, TextKeys offered, byte[] secretOfInitiator, TextKeys answers)
      throws LoginRefusal {
    int theirIdentifier =
        (int)
            NumericalValue.parse(offered.value(IDENTIFIER).orElse(""), 0, IDENTIFIERS - 1)
                .orElseThrow(
                    () -> LoginRefusal.initiatorError("CHAP_I: expected a number up to 255"));
    byte[] theirChallenge =
        BinaryValue.parse(offered.value(CHALLENGE).orElse(""), MAX_CHALLENGE_LENGTH)
            .filter(bytes -> bytes.length > 0)
            .orElseThrow(() -> LoginRefusal.initiatorError("CHAP_C: expected 1 to 1024 bytes"));
    if (Arrays.equals(theirChallenge, challenge)) {
      throw LoginRefusal.authenticationFailure("CHAP: the challenge is a reflection of ours");
    }
    ChapIdentity identity =
        access
            .identity()
            .orElseThrow(() ->
                LoginRefusal.authenticationFailure(
                    "CHAP: the target has no name and secret of its own"));
    byte[] ownSecret = identity.secret().bytes();
    if (MessageDigest.isEqual(ownSecret, secretOfInitiator)) {
      throw LoginRefusal.authenticationFailure("CHAP: the secrets of both directions are the same");
    }
    answers
        .add(NAME, identity.name())
        .add(
            RESPONSE,
            BinaryValue.write(chosen.response(theirIdentifier, ownSecret, theirChallenge)));
  }

  /// Returns a random secret for the check of an unknown user. No initiator knows this secret, so
  /// the check fails.
  private byte[] noSecret() {
    byte[] secret = new byte[ChapSecret.MIN_LENGTH];
    random.nextBytes(secret);
    return secret;
  }

  private static boolean holdsAny(TextKeys offered, String... keys) {
    return Arrays.stream(keys).anyMatch(key -> offered.value(key).isPresent());
  }
}
