package dev.pvcpopulators.registry.remote;

import com.google.cloud.tools.jib.api.Credential;
import com.google.cloud.tools.jib.http.Authorization;
import dev.pvcpopulators.http.AddressPolicy;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.Transfer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The current authorization for one endpoint, determined from the challenges of the endpoint.
///
/// Thread-safe; two threads that are challenged at the same time may both fetch a token.
final class Authenticator {
  private final Endpoint endpoint;
  private final boolean named;
  private final CredentialLookup credentials;
  private final TokenServer tokens;
  private final AddressPolicy addresses;

  private volatile @Nullable Authorization current;

  /// Creates an authenticator.
  ///
  /// @param named whether the endpoint's host and port are the host and port of the registry that
  ///   the image's reference names
  Authenticator(
      Endpoint endpoint,
      boolean named,
      CredentialLookup credentials,
      TokenServer tokens,
      AddressPolicy addresses) {
    this.endpoint = endpoint;
    this.named = named;
    this.credentials = credentials;
    this.tokens = tokens;
    this.addresses = addresses;
  }

  /// Returns the authorization that [#answer] determined last; empty before the first challenge.
  Optional<Authorization> current() {
    return Optional.ofNullable(current);
  }

  /// Determines the answer to a challenge.
  ///
  /// @param refused the authorization that was sent, if any
  /// @return the authorization to send: the current authorization if another thread has replaced
  ///   the refused authorization, otherwise a new authorization
  /// @throws SourceDeniedException if there is no Bearer or Basic challenge; if the token server
  ///   refuses to issue a token; if there is only a Basic challenge, and there are no credentials
  ///   or the endpoint has refused the credentials; or if a file with credentials cannot be read
  Authorization answer(
      List<Challenge> challenges, Optional<Authorization> refused, Transfer transfer)
      throws IOException {
    Authorization known = current;
    if (known != null && !refused.equals(Optional.of(known))) {
      // Another thread was challenged before this thread, and has already determined `known`.
      return known;
    }
    Authorization found = find(challenges, refused, transfer);
    current = found;
    return found;
  }

  private Authorization find(
      List<Challenge> challenges, Optional<Authorization> refused, Transfer transfer)
      throws IOException {
    Optional<Credential> credential = credentials.find(endpoint, named);
    Optional<Challenge> bearer = offered(challenges, "bearer");
    if (bearer.isPresent()) {
      return tokens.token(bearer.get(), endpoint, credential, addresses, transfer);
    }
    if (offered(challenges, "basic").isPresent()) {
      return basic(credential, refused);
    }
    throw new SourceDeniedException(
        "Access to " + endpoint + " is denied: expected a Bearer or Basic challenge, found none");
  }

  private Authorization basic(Optional<Credential> credential, Optional<Authorization> refused)
      throws SourceDeniedException {
    if (credential.isEmpty()) {
      throw denied(false);
    }
    Authorization authorization =
        Authorization.fromBasicCredentials(
            credential.get().getUsername(), credential.get().getPassword());
    if (refused.equals(Optional.of(authorization))) {
      throw denied(true);
    }
    return authorization;
  }

  private static Optional<Challenge> offered(List<Challenge> challenges, String scheme) {
    return challenges.stream().filter(it -> it.scheme().equals(scheme)).findFirst();
  }

  /// Returns the exception for a request that the endpoint refuses. The message depends on whether
  /// there are credentials for the endpoint.
  ///
  /// @throws SourceDeniedException if a file with credentials cannot be read
  SourceDeniedException denied() throws SourceDeniedException {
    return denied(credentials.find(endpoint, named).isPresent());
  }

  private SourceDeniedException denied(boolean credentialsGiven) {
    return new SourceDeniedException(
        "Access to "
            + endpoint
            + " is denied: "
            + (credentialsGiven
                ? "the registry rejects the credentials, or the repository does not exist"
                : "the registry requires credentials and none are configured, or the"
                    + " repository does not exist"));
  }
}
