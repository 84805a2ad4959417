package dev.pvcpopulators.registrystreamiscsi.image;

import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.FarReads;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.kit.source.SearchedLayers;
import dev.pvcpopulators.volume.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One disk of the cache, complete or still being pulled, with its number of users.
///
/// | File         | Holds                                                  |
/// |--------------|--------------------------------------------------------|
/// | `disk.img`   | the disk, raw                                          |
/// | `disk.map`   | which blocks of the disk are present                   |
/// | `image.json` | the identity of the disk and its image ([ImageRecord]) |
/// | `staging`    | bytes of unknown offset on the disk, while pulling     |
/// | `layers`     | logs of layers, while pulling ([ResumableBlobs])       |
public final class CachedImage implements FarReads {
  static final String RECORD = "image.json";

  private final String key;
  private final Path directory;
  private final CompletableFuture<Medium> opened = new CompletableFuture<>();
  private final CompletableFuture<Medium> completed = new CompletableFuture<>();
  private final List<Consumer<IOException>> onDiscredit = new ArrayList<>();
  private volatile State state = State.PULLING;
  private volatile @Nullable String reason;
  private volatile @Nullable ImageRecord description;
  private volatile String source = "";
  private volatile FarReads far = FarReads.NONE;
  private volatile @Nullable ArrivingMedium arriving;
  private volatile @Nullable SearchedLayers layers;
  private @Nullable IOException discredit;
  private volatile @Nullable ImagePull pull;
  private int users;

  /// The state of an image.
  public enum State {
    PULLING,
    /// The pull was interrupted; the next attempt begins after a pause.
    WAITING,
    COMPLETE,
    /// The pull ended without success and is not retried, or the content is wrong.
    FAILED
  }

  CachedImage(String key, Path directory) {
    this.key = key;
    this.directory = directory;
  }

  /// Returns the image of a LUN that is a complete clone. Such a LUN no longer reads the image's
  /// files.
  public static CachedImage ofClone(ImageRecord record, Path directory) {
    CachedImage image = new CachedImage(record.key(), directory);
    image.describe(record);
    image.state = State.COMPLETE;
    return image;
  }

  public String key() {
    return key;
  }

  Path directory() {
    return directory;
  }

  /// Returns the files of the disk and of the map of its present blocks.
  DiskFiles files() {
    return DiskFiles.in(directory, "disk");
  }

  /// Returns the directory of the layers' logs; it does not exist after the image is complete.
  Path logs() {
    return directory.resolve("layers");
  }

  /// Returns a future that completes when the disk's size is known and its present part can be
  /// read. If the pull fails earlier, the future fails with an [IOException].
  public CompletableFuture<Medium> opened() {
    return opened;
  }

  /// Returns a future that completes when the whole disk is present and verified. If the pull fails
  /// earlier, the future fails with an [IOException].
  public CompletableFuture<Medium> completed() {
    return completed;
  }

  public State state() {
    return state;
  }

  /// Returns the reason why the image failed or waits; null in the other states.
  public @Nullable String reason() {
    return reason;
  }

  public @Nullable ImageRecord description() {
    return description;
  }

  /// Returns the manifest's digest.
  public String source() {
    return source;
  }

  void source(String digest) {
    source = digest;
  }

  void pulledBy(ImagePull by) {
    pull = by;
  }

  /// Records that the present part of the disk can be read.
  ///
  /// @param medium owned by this object after the method returns; owned by the caller if the method
  ///   throws
  /// @throws IOException if the image was closed before this call
  void open(ArrivingMedium medium, ImageRecord record) throws IOException {
    arriving = medium;
    describe(record);
    if (!opened.complete(medium)) {
      arriving = null;
      throw new IOException("The image is no longer used");
    }
  }

  private void describe(ImageRecord record) {
    description = record;
    source = record.digest().toString();
  }

  /// Records a disk that was already complete when the service stopped.
  void openComplete(Medium medium, ImageRecord record) {
    describe(record);
    opened.complete(medium);
    complete();
  }

  /// Returns the medium of a disk that this process pulls or has pulled. Returns null before the
  /// size is known, and null if the disk was complete when it was opened.
  @Nullable ArrivingMedium arriving() {
    return arriving;
  }

  /// Returns how many bytes of the disk are present.
  public long presentBytes() {
    ArrivingMedium medium = arriving;
    if (medium != null) {
      return medium.presentBytes();
    }
    ImageRecord described = description;
    return state == State.COMPLETE && described != null ? described.length() : 0;
  }

  /// Sets the layers that the current pull reads.
  void pulls(SearchedLayers through) {
    layers = through;
  }

  /// Returns the layers being pulled; empty if the image is complete or failed.
  List<Part> layers() {
    SearchedLayers pulled = layers;
    return switch (state) {
      case PULLING, WAITING -> pulled == null ? List.of() : pulled.parts();
      case COMPLETE, FAILED -> List.of();
    };
  }

  /// Sets the object that fetches ranges far ahead of the current pull.
  void fetchedBy(FarReads by) {
    far = by;
  }

  @Override
  public void wanted(long offset, long length) {
    far.wanted(offset, length);
  }

  /// Records that the whole disk is present and verified.
  void complete() {
    state = State.COMPLETE;
    reason = null;
    completed.complete(opened.join());
  }

  /// Records that the pull continues.
  void pulling() {
    state = State.PULLING;
    reason = null;
  }

  /// Records that the pull was interrupted and will be retried.
  void waiting(IOException why) {
    state = State.WAITING;
    reason = String.valueOf(why.getMessage());
  }

  /// Records that the pull ended without success and is not retried.
  void fail(IOException why) {
    state = State.FAILED;
    reason = String.valueOf(why.getMessage());
    opened.completeExceptionally(why);
    completed.completeExceptionally(why);
  }

  /// Records that the content is wrong; readers may have read it already.
  void discredit(IOException why) {
    List<Consumer<IOException>> listeners;
    synchronized (onDiscredit) {
      discredit = why;
      listeners = List.copyOf(onDiscredit);
    }
    fail(why);
    listeners.forEach(it -> it.accept(why));
  }

  /// Adds a listener for wrong content, such as content that does not match the image's digest.
  /// Calls the listener at once if such content is already known.
  public void onDiscredit(Consumer<IOException> listener) {
    IOException known;
    synchronized (onDiscredit) {
      known = discredit;
      onDiscredit.add(listener);
    }
    if (known != null) {
      listener.accept(known);
    }
  }

  /// Adds a positive or negative number to the number of users. Called with the monitor of
  /// [VolumeImages] held.
  ///
  /// @return the new number
  int use(int by) {
    users += by;
    return users;
  }

  /// Cancels the pull. An image that is not complete fails, and threads that wait for the image get
  /// an exception.
  void cancel() {
    ImagePull running = pull;
    if (running != null) {
      running.cancel();
    }
    if (state != State.COMPLETE) {
      fail(new IOException("The image is no longer used"));
    }
  }

  /// Returns whether no pull changes the image's files any more: the pull has ended, or there is no
  /// pull.
  boolean isPullEnded() {
    ImagePull running = pull;
    return running == null || running.isEnded();
  }

  /// Waits for the end of the pull. [#cancel] does not wait for it.
  ///
  /// @return false on time-out
  boolean awaitPullEnd(Duration limit) throws InterruptedException {
    ImagePull running = pull;
    return running == null || running.awaitEnd(limit);
  }

  /// Cancels the pull and closes the disk.
  void close() throws IOException {
    cancel();
    if (opened.isDone() && !opened.isCompletedExceptionally()) {
      opened.join().close();
    }
  }
}
