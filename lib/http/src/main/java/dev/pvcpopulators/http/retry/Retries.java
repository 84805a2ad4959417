package dev.pvcpopulators.http.retry;

import dev.pvcpopulators.http.Backoff;
import dev.pvcpopulators.http.Response;
import dev.pvcpopulators.http.SourceDeniedException;
import dev.pvcpopulators.http.SourceException;
import dev.pvcpopulators.http.SourceNotFoundException;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.VisibleAscii;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// The retries of one download, over an ordered list of places: servers or mirrors that have the
/// same content.
///
/// A transient failure (a lost connection, overload) is retried at the same place. After a
/// permanent failure, or when the retries are used up, the next place is tried.
///
/// @param <P> the type of the places; messages name a place by its `toString`
public final class Retries<P> {
  // The maximum number of consecutive retries without progress at each place except the last. The
  // number is small, so that an unavailable mirror delays the download only briefly.
  private static final int MIRROR_RETRIES = 2;

  private static final Logger LOG = System.getLogger(Retries.class.getName());

  private final List<P> places;
  private final int limit;
  private final Backoff backoff;
  private final Predicate<IOException> permanent;
  private final Transfer transfer;
  private final List<IOException> earlier = new ArrayList<>();

  private int index;
  private int failures;

  /// Creates the retries of one download. The first attempt is made at the first place.
  ///
  /// @param places the places, in the order of their use, at least one
  /// @param limit maximum number of consecutive retries without progress at the last place; at each
  ///   other place, the maximum is the smaller of this number and 2
  /// @param permanent tests whether a failure would occur again after a retry; a [SourceException]
  ///   always counts as permanent
  /// @param transfer the transfer of the attempts; closing it ends the pauses between attempts
  public Retries(
      List<P> places,
      int limit,
      Backoff backoff,
      Predicate<IOException> permanent,
      Transfer transfer) {
    this.places = List.copyOf(places);
    this.limit = limit;
    this.backoff = backoff;
    this.permanent = permanent;
    this.transfer = transfer;
  }

  /// Returns the place for the next attempt.
  public P current() {
    return places.get(index);
  }

  /// Resets the count of failures, because content arrived.
  public void progressed() {
    failures = 0;
  }

  /// Handles a failed attempt. If this method returns, the caller should make another attempt at
  /// [#current]. For another attempt at the same place, this method first waits for the delay that
  /// the server asks for, or for the backoff if the server asks for no delay. It does not wait
  /// before the first attempt at the next place.
  ///
  /// @throws IOException at the last place, if the failure is permanent or the retries are used up;
  ///   at each place, if the transfer is closed or the thread is interrupted
  public void failed(IOException failure) throws IOException {
    transfer.check();
    boolean last = index == places.size() - 1;
    int allowed = last ? limit : Math.min(limit, MIRROR_RETRIES);
    if (!isPermanent(failure) && failures < allowed) {
      failures++;
      Duration delay = delay(failure);
      LOG.log(
          Level.WARNING,
          "Reading from {0}: {1}; attempt {2} of {3} in {4} s",
          current(),
          reason(failure),
          failures + 1,
          allowed + 1,
          delay.toSeconds());
      transfer.pause(delay);
    } else if (!last) {
      earlier.add(failure);
      index++;
      failures = 0;
    } else {
      IOException thrown = isPermanent(failure) ? failure : exhausted(failure);
      earlier.forEach(thrown::addSuppressed);
      throw thrown;
    }
  }

  /// Makes one attempt.
  ///
  /// @param <P> the type of the places
  /// @param <T> the type of the result
  @FunctionalInterface
  public interface Attempt<P, T> {
    T at(P place) throws IOException;
  }

  /// Repeats an attempt until it succeeds.
  ///
  /// @throws IOException if the attempt fails permanently at the last place, if the retries there
  ///   are used up, if the transfer is closed, or if the thread is interrupted
  public <T> T run(Attempt<P, T> attempt) throws IOException {
    while (true) {
      try {
        return attempt.at(current());
      } catch (IOException e) {
        failed(e);
      }
    }
  }

  /// Returns the exception for a response with an unexpected status.
  ///
  /// @param found text for the message: what was requested, and the status
  /// @param denied text that is appended to `found` if access is denied
  public static IOException failure(Response response, String found, String denied) {
    return switch (response.status()) {
      case 401, 403 -> new SourceDeniedException(found + denied);
      case 404, 410 -> new SourceNotFoundException(found);
      default ->
          response.overloaded()
              ? new TransientException(found, response.retryAfter())
              : new SourceUnavailableException(found);
    };
  }

  private boolean isPermanent(IOException failure) {
    return failure instanceof SourceException || permanent.test(failure);
  }

  private Duration delay(IOException failure) {
    return failure instanceof TransientException e
        ? e.retryAfter().orElseGet(() -> backoff.delay(failures))
        : backoff.delay(failures);
  }

  private IOException exhausted(IOException failure) {
    return new SourceUnavailableException(
        "Cannot read from "
            + current()
            + ", gave up after "
            + (failures + 1)
            + (failures == 0 ? " attempt: " : " attempts without progress: ")
            + reason(failure),
        failure);
  }

  private static String reason(IOException failure) {
    if (failure instanceof UnknownHostException) {
      return "its name is not known to the name servers";
    }
    String message = failure.getMessage();
    // The message of the HTTP client may quote bytes that the server sent and that the client could
    // not parse.
    return message == null ? failure.getClass().getSimpleName() : VisibleAscii.of(message);
  }
}
