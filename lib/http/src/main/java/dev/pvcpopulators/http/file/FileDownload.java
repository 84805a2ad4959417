package dev.pvcpopulators.http.file;

import dev.pvcpopulators.http.Response;
import dev.pvcpopulators.http.ResponseBody;
import dev.pvcpopulators.http.SourceUnavailableException;
import dev.pvcpopulators.http.Transfer;
import dev.pvcpopulators.http.retry.ContentRange;
import dev.pvcpopulators.http.retry.ResumableStream;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// One version of a file, as the first response describes it. Each stream returns the bytes of this
/// version, and resumes after a lost connection if the server allows that. At its end, the stream
/// verifies the checksum if the checksum is known.
public final class FileDownload implements Closeable {
  private final DownloadSession session;
  private final FileUrl url;
  private final FileHead head;
  private final LongConsumer received;
  private final Checksum.Algorithm algorithm;

  /// The first response, not yet read; null after the first stream has taken the response, and
  /// after [#close].
  private @Nullable Opened first;

  private volatile Optional<Checksum> checksum;

  /// A response, and the transfer that can abort it.
  private record Opened(Response response, Transfer transfer) {}

  private FileDownload(
      DownloadSession session,
      FileUrl url,
      Opened first,
      Optional<Checksum> expected,
      LongConsumer received) {
    this.session = session;
    this.url = url;
    this.first = first;
    this.received = received;
    head = FileHead.of(first.response());
    checksum = expected;
    algorithm = expected.map(Checksum::algorithm).orElse(Checksum.Algorithm.SHA256);
  }

  /// Requests the file.
  ///
  /// @param expected the file's checksum, if known
  /// @param received a function that is called with the number of bytes of each read
  public static FileDownload open(
      DownloadSession session, FileUrl url, Optional<Checksum> expected, LongConsumer received)
      throws IOException {
    Opened first =
        session.retried(
            url,
            transfer -> {
              Response response = session.get(url, Map.of(), transfer);
              try {
                requireFile(session, url, response, expected);
                return new Opened(response, transfer);
              } catch (IOException | RuntimeException e) {
                response.close();
                throw e;
              }
            });
    return new FileDownload(session, url, first, expected, received);
  }

  private static void requireFile(
      DownloadSession session, FileUrl url, Response response, Optional<Checksum> expected)
      throws IOException {
    if (response.status() != 200) {
      throw session.refused(url, response);
    }
    if (!response.delimited() && expected.isEmpty()) {
      throw new SourceUnavailableException(
          "Cannot read "
              + url
              + ": it has neither a length nor chunks, so that a lost connection looks like its end;"
              + " give a checksum");
    }
  }

  /// Returns the header fields of the first response.
  public FileHead head() {
    return head;
  }

  /// Returns the checksum of the file: the expected checksum, or the checksum that a stream has
  /// computed at its end. Returns empty if no checksum was expected, and no stream has reached its
  /// end.
  public Optional<Checksum> checksum() {
    return checksum;
  }

  /// Opens a stream of the file from its first byte on. Only one stream may be open at a time.
  ///
  /// Opening or reading throws [FileChangedException] if the download has to start again. Reading
  /// throws [dev.pvcpopulators.http.DigestMismatchException] if the size differs from the size that
  /// the first response announced, or if, at the end, the checksum differs from the known checksum.
  ///
  /// @return the stream; owned by the caller
  public InputStream open() throws IOException {
    Opened opened = first == null ? reopened() : first;
    first = null;
    return new ChecksumStream(
        head.size().isPresent() ? resumable(opened) : restarting(opened),
        url + opened.response().encodingNote(),
        algorithm,
        checksum,
        received,
        found -> checksum = Optional.of(found));
  }

  private Opened reopened() throws IOException {
    return session.retried(
        url, transfer -> new Opened(whole(session.get(url, Map.of(), transfer)), transfer));
  }

  /// Returns a stream that resumes after a lost connection. Closing the stream also closes the
  /// transfer of the opened response.
  private InputStream resumable(Opened opened) {
    Transfer transfer = opened.transfer();
    AtomicReference<@Nullable Response> unread = new AtomicReference<>(opened.response());
    return ResumableStream.whole(
        "the file",
        head.size().orElseThrow(),
        (place, position) -> {
          Response response = unread.getAndSet(null);
          return response == null
              ? resumed(position, transfer)
              : new ResponseBody(response, 0, false);
        },
        session.retries(url, transfer),
        transfer);
  }

  private ResponseBody resumed(long position, Transfer transfer) throws IOException {
    if (position == 0) {
      return new ResponseBody(whole(session.get(url, Map.of(), transfer)), 0, false);
    }
    if (head.validator().isEmpty()) {
      throw new FileChangedException(
          "the server sends no strong validator, so resuming is not safe");
    }
    Map<String, String> headers =
        Map.of("Range", "bytes=" + position + "-", "If-Range", head.validator().get());
    Response response = session.get(url, headers, transfer);
    try {
      switch (response.status()) {
        case 206 -> requirePart(response, position);
        case 200, 412, 416 ->
            throw new FileChangedException(
                head.sameFile(response)
                    ? "the server does not support ranges"
                    : "the server has another version of the file, or does not support ranges");
        default -> throw session.refused(url, response);
      }
      return new ResponseBody(response, 0, true);
    } catch (IOException | RuntimeException e) {
      response.close();
      throw e;
    }
  }

  private void requirePart(Response response, long position) throws FileChangedException {
    Optional<ContentRange> range = response.header("Content-Range").flatMap(ContentRange::parse);
    boolean rest =
        range.isPresent()
            && range.get().start() == position
            && range.get().total().equals(head.size())
            && range.get().last() < head.size().orElseThrow()
            && (response.length() < 0 || response.length() == range.get().length())
            && !head.contradicts(response);
    if (!rest) {
      throw new FileChangedException("the server sends another part than the rest of the file");
    }
  }

  /// Checks that a response contains this version of the file, and returns the response.
  ///
  /// @param response the response to check; closed if the check fails
  private Response whole(Response response) throws IOException {
    try {
      if (response.status() != 200) {
        throw session.refused(url, response);
      }
      // Without a validator, the new stream verifies the content at its end: it compares the
      // content's checksum with the expected checksum, or with the checksum of an earlier stream.
      boolean same = head.validator().isPresent() ? head.sameFile(response) : checksum.isPresent();
      if (!same) {
        throw new FileChangedException("the server has another version of the file");
      }
      return response;
    } catch (IOException | RuntimeException e) {
      response.close();
      throw e;
    }
  }

  /// Returns a stream of unknown length, which cannot resume after a lost connection.
  private static InputStream restarting(Opened opened) throws IOException {
    return new FilterInputStream(opened.response().body()) {
      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        try {
          opened.transfer().check();
          return super.read(target, offset, length);
        } catch (IOException e) {
          opened.transfer().check();
          FileChangedException lost =
              new FileChangedException("the connection was lost, and the length is not known");
          lost.initCause(e);
          throw lost;
        }
      }

      @Override
      public void close() {
        opened.transfer().close();
      }
    };
  }

  @Override
  public void close() {
    if (first != null) {
      first.transfer().close();
      first = null;
    }
  }
}
