package dev.pvcpopulators.volume.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.pvcpopulators.volume.Notation;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// Asks Kubernetes whose a token is (TokenReview, authentication.k8s.io/v1).
///
/// Answers are kept for a bounded time and number, by the token's digest. An API server that does
/// not answer lets nobody in.
final class ReviewedToken implements Access {
  private static final Logger LOG = System.getLogger(ReviewedToken.class.getName());
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int MAX_KEPT = 1_024;
  private static final int MAX_TOKEN_CHARS = 16_384;
  private static final int MAX_ANSWER_BYTES = 1 << 20;
  private static final int MAX_ASKED_AT_ONCE = 16;

  /// What is asked for.
  ///
  /// @param endpoint the API server's TokenReview collection
  /// @param ownToken file with this service's own token, read anew for every question
  /// @param audiences of which the token must have one; empty for the API server's own
  /// @param users who may call; empty for everybody whose token passes
  /// @param keep how long an answer holds
  record Review(
      URI endpoint, Path ownToken, List<String> audiences, List<String> users, Duration keep) {
    Review {
      audiences = List.copyOf(audiences);
      users = List.copyOf(users);
    }
  }

  private record Kept(Decision decision, Instant until) {}

  private final Review review;
  private final HttpClient client;
  private final Clock clock;
  private final Semaphore asking = new Semaphore(MAX_ASKED_AT_ONCE);
  private final SequencedMap<String, Kept> kept = new LinkedHashMap<>();

  ReviewedToken(Review review, HttpClient client, Clock clock) {
    this.review = review;
    this.client = client;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Decision> decide(@Nullable String token) {
    if (token == null || token.length() > MAX_TOKEN_CHARS) {
      return CompletableFuture.completedStage(Decision.UNAUTHENTICATED);
    }
    String key =
        HexFormat.of().formatHex(SharedToken.sha256(token.getBytes(StandardCharsets.UTF_8)));
    Decision known = known(key);
    if (known != null) {
      return CompletableFuture.completedStage(known);
    }
    // A flood of wrong tokens must not become a flood of questions to the API server.
    if (!asking.tryAcquire()) {
      return CompletableFuture.completedStage(Decision.UNDECIDED);
    }
    CompletableFuture<Decision> decision = new CompletableFuture<>();
    var _ =
        Thread.ofVirtual()
            .name("token-review")
            .start(() -> {
              Decision decided = Decision.UNDECIDED;
              try {
                decided = ask(token);
                keep(key, decided);
              } finally {
                asking.release();
                decision.complete(decided);
              }
            });
    return decision;
  }

  private synchronized @Nullable Decision known(String key) {
    Kept answer = kept.get(key);
    return answer == null || clock.instant().isAfter(answer.until()) ? null : answer.decision();
  }

  private synchronized void keep(String key, Decision decision) {
    if (decision == Decision.UNDECIDED) {
      return;
    }
    kept.putLast(key, new Kept(decision, clock.instant().plus(review.keep())));
    if (kept.size() > MAX_KEPT) {
      kept.pollFirstEntry();
    }
  }

  private Decision ask(String token) {
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
        return decision(Notation.JSON.read(bytes).path("status"));
      }
    } catch (IOException e) {
      LOG.log(Level.WARNING, "Reviewing a token at {0}: {1}", review.endpoint(), e.getMessage());
      return Decision.UNDECIDED;
    } catch (InterruptedException _) {
      // Nobody interrupts this thread; were it so, the question stays open.
      return Decision.UNDECIDED;
    }
  }

  private byte[] question(String token) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("apiVersion", "authentication.k8s.io/v1").put("kind", "TokenReview");
    ObjectNode spec = document.putObject("spec").put("token", token);
    if (!review.audiences().isEmpty()) {
      ArrayNode audiences = spec.putArray("audiences");
      review.audiences().forEach(audiences::add);
    }
    return Notation.JSON.write(document);
  }

  private Decision decision(JsonNode status) {
    if (!status.path("authenticated").asBoolean(false)) {
      return Decision.UNAUTHENTICATED;
    }
    // An API server that does not know audiences says nothing of them (TokenReviewStatus).
    boolean meant = review.audiences().isEmpty();
    for (JsonNode audience : status.path("audiences")) {
      meant |= review.audiences().contains(audience.asText());
    }
    if (!meant) {
      return Decision.UNAUTHENTICATED;
    }
    String user = status.path("user").path("username").asText();
    return review.users().isEmpty() || review.users().contains(user)
        ? Decision.ALLOWED
        : Decision.FORBIDDEN;
  }
}
