package dev.pvcpopulators.registry.remote;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.Quoted;
import dev.pvcpopulators.diskimage.UnsupportedFeatureException;
import dev.pvcpopulators.registry.RegistryException;
import dev.pvcpopulators.registry.SourceUnavailableException;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Where one transfer stands in its list of places, and how often in a row it failed there.
///
/// What may pass (a lost connection, overload) is tried again at the same place; what the place
/// refuses, or retries did not help, goes on at the next.
final class Attempts {
  // A mirror that is down must not hold up what the registry itself can give.
  private static final int MIRROR_RETRIES = 2;

  private static final Logger LOG = System.getLogger(Attempts.class.getName());
  private static final int REASON_LENGTH = 300;

  private final List<Repository> places;
  private final int retries;
  private final Backoff backoff;
  private final Transfer transfer;
  private final List<IOException> earlier = new ArrayList<>();

  private int index;
  private int failures;

  /// @param places in the order in which they are asked, at least one
  Attempts(List<Repository> places, int retries, Backoff backoff, Transfer transfer) {
    this.places = List.copyOf(places);
    this.retries = retries;
    this.backoff = backoff;
    this.transfer = transfer;
  }

  /// Where to ask now.
  Repository current() {
    return places.get(index);
  }

  /// Something came: failures count from the beginning.
  void progressed() {
    failures = 0;
  }

  /// Returns when another attempt should be made, after the pause that is due.
  ///
  /// @throws IOException when there should be none: what failed, or the transfer's end
  void failed(IOException failure) throws IOException {
    transfer.check();
    boolean last = index == places.size() - 1;
    int allowed = last ? retries : Math.min(retries, MIRROR_RETRIES);
    if (!permanent(failure) && failures < allowed) {
      failures++;
      Duration delay = delay(failure);
      LOG.log(
          Level.WARNING,
          "Reading from {0}: {1}; attempt {2} of {3} in {4} s",
          current().endpoint(),
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
      throw withEarlier(permanent(failure) ? failure : exhausted(failure));
    }
  }

  private static boolean permanent(IOException failure) {
    return failure instanceof RegistryException
        || failure instanceof MalformedImageException
        || failure instanceof UnsupportedFeatureException;
  }

  private Duration delay(IOException failure) {
    return failure instanceof TransientException e
        ? e.retryAfter().orElseGet(() -> backoff.delay(failures))
        : backoff.delay(failures);
  }

  private IOException exhausted(IOException failure) {
    return new SourceUnavailableException(
        "Cannot read from "
            + current().endpoint()
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
    // The HTTP client quotes what it could not read.
    return message == null
        ? failure.getClass().getSimpleName()
        : Quoted.plain(message, REASON_LENGTH);
  }

  private IOException withEarlier(IOException failure) {
    earlier.forEach(failure::addSuppressed);
    return failure;
  }
}
