package dev.pvcpopulators.kit.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.kit.lifecycle.LogLimit;
import dev.pvcpopulators.kit.settings.CallerRules;
import dev.pvcpopulators.kit.settings.TokenClaims;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/// Decides about tokens by asking the Kubernetes API server to review them (TokenReview,
/// authentication.k8s.io/v1).
///
/// Only a JSON Web Token for one of this service's audiences is reviewed, and only until a minute
/// after its expiry. A bounded number of answers is cached for a bounded time; the key of an answer
/// is the digest of its token. Positive answers have a separate cache, so that a flood of wrong
/// tokens evicts no positive answer. The number of concurrent reviews is limited, in total and for
/// one address. Some of the concurrent reviews are reserved for tokens that were allowed before,
/// and the limit for one address does not apply to these tokens. If there is neither a cached
/// answer nor an answer of the API server, the request with the token is refused.
final class ReviewedToken implements Access {
  static final int MAX_ASKED_AT_ONCE = 16;

  /// How many of the [#MAX_ASKED_AT_ONCE] concurrent reviews are reserved for tokens that were
  /// allowed before.
  static final int RESERVED = 4;

  static final int MAX_ASKED_OF_ONE_ADDRESS = 4;

  private static final Logger LOG = System.getLogger(ReviewedToken.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /// The tolerance for a difference between this host's clock and the clock of the issuer.
  private static final Duration LEEWAY = Duration.ofMinutes(1);

  private static final int LINES = 5;
  private static final int MAX_KEPT = 1_024;
  private static final int MAX_TOKEN_CHARS = 16_384;
  private static final int MAX_ANSWER_BYTES = 1 << 20;

  /// The parameters of a review.
  ///
  /// @param endpoint the API server's TokenReview collection
  /// @param ownToken the file with this service's own token, read again for every review
  /// @param callers the rules that an accepted token satisfies
  /// @param keep how long an answer is cached
  record Review(URI endpoint, Path ownToken, CallerRules callers, Duration keep) {
    /// Returns whether at least one of a token's audiences is an audience of this service.
    boolean meant(Set<String> named) {
      return callers.audiences().stream().anyMatch(named::contains);
    }
  }

  private record Kept(Decision decision, Instant until) {}

  private final Review review;
  private final HttpClient client;
  private final Clock clock;
  private final LogLimit unanswered = new LogLimit(LINES);

  // This object's monitor guards all fields below.
  private final SequencedMap<String, Kept> allowed = new LinkedHashMap<>();
  private final SequencedMap<String, Kept> refused = new LinkedHashMap<>();
  private final Map<String, CompletableFuture<Decision>> asked = new HashMap<>();
  private final Map<String, Integer> askedOfAddress = new HashMap<>();

  ReviewedToken(Review review, HttpClient client, Clock clock) {
    this.review = review;
    this.client = client;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Decision> decide(@Nullable String token, String address) {
    if (token == null || token.length() > MAX_TOKEN_CHARS) {
      return CompletableFuture.completedStage(Decision.UNAUTHENTICATED);
    }
    Optional<TokenClaims> claims =
        TokenClaims.of(token).filter(named -> review.meant(named.audiences()));
    if (claims.isEmpty()) {
      return CompletableFuture.completedStage(Decision.UNAUTHENTICATED);
    }
    Instant expiry = claims.get().expiry();
    if (expiry.isBefore(clock.instant().minus(LEEWAY))) {
      return CompletableFuture.completedStage(Decision.EXPIRED);
    }
    String key = SharedToken.digest(token);
    CompletableFuture<Decision> decision;
    synchronized (this) {
      Decision known = known(key);
      if (known != null) {
        return CompletableFuture.completedStage(known);
      }
      decision = asked.get(key);
      if (decision != null) {
        return decision;
      }
      // A flood of wrong tokens must not become a flood of reviews at the API server.
      if (!turn(key, address)) {
        return CompletableFuture.completedStage(Decision.UNDECIDED);
      }
      decision = new CompletableFuture<>();
      asked.put(key, decision);
      askedOfAddress.merge(address, 1, Integer::sum);
    }
    CompletableFuture<Decision> asking = decision;
    var _ =
        Thread.ofVirtual()
            .name("token-review")
            .start(() -> {
              Decision decided = Decision.UNDECIDED;
              try {
                decided = ask(token, expiry);
              } finally {
                answered(key, address, decided);
                asking.complete(decided);
              }
            });
    return decision;
  }

  private @Nullable Decision known(String key) {
    Kept answer = allowed.containsKey(key) ? allowed.get(key) : refused.get(key);
    if (answer == null) {
      return null;
    }
    Instant now = clock.instant();
    // The second condition limits the lifetime of an answer if the clock was set back after the
    // answer was cached.
    boolean holds =
        !now.isAfter(answer.until()) && !answer.until().isAfter(now.plus(review.keep()));
    return holds ? answer.decision() : null;
  }

  private boolean turn(String key, String address) {
    return allowed.containsKey(key)
        ? asked.size() < MAX_ASKED_AT_ONCE
        : asked.size() < MAX_ASKED_AT_ONCE - RESERVED
            && askedOfAddress.getOrDefault(address, 0) < MAX_ASKED_OF_ONE_ADDRESS;
  }

  private synchronized void answered(String key, String address, Decision decision) {
    asked.remove(key);
    askedOfAddress.computeIfPresent(address, (_, count) -> count > 1 ? count - 1 : null);
    if (decision == Decision.UNDECIDED) {
      return;
    }
    allowed.remove(key);
    refused.remove(key);
    SequencedMap<String, Kept> kept = decision == Decision.ALLOWED ? allowed : refused;
    kept.putLast(key, new Kept(decision, clock.instant().plus(review.keep())));
    if (kept.size() > MAX_KEPT) {
      kept.pollFirstEntry();
    }
  }

  private Decision ask(String token, Instant expiry) {
    try {
      String own = Files.readString(review.ownToken()).strip();
      HttpRequest question =
          HttpRequest.newBuilder(review.endpoint())
              .timeout(PATIENCE)
              .header("Authorization", "Bearer " + own)
              .header("Content-Type", "application/json")
              .header("Accept", "application/json")
              .POST(HttpRequest.BodyPublishers.ofByteArray(question(token)))
              .build();
      HttpResponse<java.io.InputStream> answer =
          client.send(question, HttpResponse.BodyHandlers.ofInputStream());
      try (var body = answer.body()) {
        byte[] bytes = body.readNBytes(MAX_ANSWER_BYTES);
        if (answer.statusCode() / 100 != 2) {
          throw new IOException("expected 201, found " + answer.statusCode());
        }
        Decision decided = decision(Notation.JSON.read(bytes).path("status"));
        boolean over = expiry.isBefore(clock.instant().plus(LEEWAY));
        return decided == Decision.UNAUTHENTICATED && over ? Decision.EXPIRED : decided;
      }
    } catch (IOException e) {
      if (unanswered.line().isPresent()) {
        LOG.log(Level.WARNING, "Reviewing a token at {0}: {1}", review.endpoint(), e.getMessage());
      }
      return Decision.UNDECIDED;
    } catch (InterruptedException _) {
      // No code interrupts the thread of a review. An interrupt would leave the token undecided.
      return Decision.UNDECIDED;
    }
  }

  private byte[] question(String token) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = document.putObject("spec").put("token", token);
    ArrayNode audiences = spec.putArray("audiences");
    review.callers().audiences().forEach(audiences::add);
    return Notation.JSON.write(document);
  }

  private Decision decision(JsonNode status) {
    if (!status.path("authenticated").asBoolean(false)) {
      return Decision.UNAUTHENTICATED;
    }
    // An API server that does not support audiences reports none (TokenReviewStatus); then the
    // token is refused.
    boolean meant = false;
    for (JsonNode audience : status.path("audiences")) {
      meant |= review.callers().audiences().contains(audience.asText());
    }
    if (!meant) {
      return Decision.UNAUTHENTICATED;
    }
    String user = status.path("user").path("username").asText();
    return review.callers().admits(user) ? Decision.ALLOWED : Decision.FORBIDDEN;
  }
}
