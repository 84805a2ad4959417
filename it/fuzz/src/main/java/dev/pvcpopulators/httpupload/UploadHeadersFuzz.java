package dev.pvcpopulators.httpupload;

import static dev.pvcpopulators.fuzz.Refusal.ensure;

import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.fuzz.Refusal;
import dev.pvcpopulators.volume.Failure;
import dev.pvcpopulators.volume.VolumeException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// Fuzzes upload requests. The input contains requests of several clients ([WrittenRequest]),
/// separated by bytes of value 1.
///
/// This target reads each request as [UploadAdmission] does. If the request is admitted, the target
/// receives the body as [IncomingUpload] does.
public final class UploadHeadersFuzz {
  private static final int SEPARATOR = 1;
  private static final int MOST_KEY = 64;

  static {
    // Without `io.netty.noUnsafe`, Netty searches for the class `Unsafe`, and Jazzer's sanitizer
    // makes this search fail.
    System.setProperty("io.netty.noUnsafe", "true");
    Finds.listen();
  }

  private UploadHeadersFuzz() {}

  /// Sends the requests, and then ends the upload.
  public static void fuzzerTestOneInput(byte[] data) {
    PlayedUploads uploads = new PlayedUploads();
    int from = 0;
    while (from <= data.length) {
      int end = from;
      while (end < data.length && data[end] != SEPARATOR) {
        end++;
      }
      play(Arrays.copyOfRange(data, from, end), uploads);
      from = end + 1;
    }
    uploads.end();
    Finds.check();
  }

  private static void play(byte[] bytes, PlayedUploads uploads) {
    WrittenRequest written = WrittenRequest.of(bytes, uploads.content());
    try {
      UploadRequest request = UploadRequest.of(written.request(), "auto");
      check(request);
      uploads.bring(request, written);
    } catch (VolumeException e) {
      Refusal.check(e);
      boolean known =
          switch (e.failure()) {
            case Failure.InvalidRequest _, Failure.VolumeBusy _ -> true;
            case Failure.DigestMismatch _ ->
                written.request().headers().get("Content-Digest") != null;
            case Failure.ExceedsVolume _ -> {
              String length = written.request().headers().get("Content-Length");
              yield length != null && length.matches("\\d{19,}");
            }
            default -> false;
          };
      ensure(known, "Unexpected refusal of an upload: " + e.failure());
    }
  }

  private static void check(UploadRequest request) {
    long first = request.first();
    long end = first + request.length().orElse(0);
    ensure(first >= 0 && end >= first, "Out of bounds: " + request);
    ensure(request.total().isEmpty() || end <= request.total().getAsLong(), "Beyond: " + request);
    if (request.ending() == UploadRequest.Ending.HERE && request.length().isPresent()) {
      ensure(request.total().equals(OptionalLong.of(end)), "Not the end: " + request);
    }
    ensure(request.part().isEmpty() || request.length().isPresent(), "No part: " + request);
    for (Optional<String> key : List.of(request.key(), request.replaces())) {
      ensure(key.isEmpty() || key.get().length() <= MOST_KEY, "A long key: " + request);
    }
    ensure(request.sameClient(request) || request.replaces().isPresent(), "Bad client: " + request);
  }
}
