package dev.pvcpopulators.registrystreamiscsi;

import dev.pvcpopulators.iscsitarget.medium.ArrivingMedium;
import dev.pvcpopulators.iscsitarget.medium.DiskFiles;
import dev.pvcpopulators.iscsitarget.medium.FarReads;
import dev.pvcpopulators.iscsitarget.medium.Medium;
import dev.pvcpopulators.kit.source.SearchedLayers;
import dev.pvcpopulators.volume.Part;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// One disk of the cache, complete or on its way, and who uses it.
///
/// | File           | Holds                                                |
/// |----------------|------------------------------------------------------|
/// | `disk.img`     | the disk, raw                                        |
/// | `disk.map`     | which blocks of it are here                          |
/// | `image.json`   | which disk of which image it is ([ImageRecord])      |
/// | `staging`      | clusters whose place is not known yet, while pulling |
/// | `layers`       | logs of layers, while pulling ([ResumableBlobs])     |
final class CachedImage implements FarReads {
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

  /// How an image stands.
  enum State {
    PULLING,
    /// The pull broke; another one begins after a pause.
    WAITING,
    COMPLETE,
    /// The pull was given up, or the content is wrong.
    FAILED
  }

  CachedImage(String key, Path directory) {
    this.key = key;
    this.directory = directory;
  }

  /// An image of which a clone is left, and nothing else.
  static CachedImage ofClone(ImageRecord record, Path directory) {
    CachedImage image = new CachedImage(record.key(), directory);
    image.describe(record);
    image.state = State.COMPLETE;
    return image;
  }

  String key() {
    return key;
  }

  Path directory() {
    return directory;
  }

  /// The disk and the map of what is here of it.
  DiskFiles files() {
    return DiskFiles.in(directory, "disk");
  }

  /// The directory of the logs of layers; exists only while the image is pulled.
  Path logs() {
    return directory.resolve("layers");
  }

  /// Completes when the disk's size is known and it can be read, as far as it is here; or with an
  /// [IOException] where it comes to nothing.
  CompletableFuture<Medium> opened() {
    return opened;
  }

  /// Completes when all of it is here and verified; or with an [IOException].
  CompletableFuture<Medium> completed() {
    return completed;
  }

  State state() {
    return state;
  }

  /// Why it is not what it should be, or waits.
  @Nullable String reason() {
    return reason;
  }

  @Nullable ImageRecord description() {
    return description;
  }

  /// The manifest's digest.
  String source() {
    return source;
  }

  void source(String digest) {
    source = digest;
  }

  void pulledBy(ImagePull by) {
    pull = by;
  }

  /// The disk can be read, as far as it is here.
  void open(ArrivingMedium medium, ImageRecord record) {
    arriving = medium;
    describe(record);
    opened.complete(medium);
  }

  private void describe(ImageRecord record) {
    description = record;
    source = record.digest().toString();
  }

  /// The disk was complete when the service stopped.
  void openComplete(Medium medium, ImageRecord record) {
    describe(record);
    opened.complete(medium);
    complete();
  }

  /// The disk while it arrives; null before its size is known, and where it was complete at first.
  @Nullable ArrivingMedium arriving() {
    return arriving;
  }

  /// Bytes of the disk that are here.
  long presentBytes() {
    ArrivingMedium medium = arriving;
    if (medium != null) {
      return medium.presentBytes();
    }
    ImageRecord described = description;
    return state == State.COMPLETE && described != null ? described.length() : 0;
  }

  /// The layers that the pull that is running now goes through.
  void pulls(SearchedLayers through) {
    layers = through;
  }

  /// The layers that are on their way; none where the image is complete, or comes to nothing.
  List<Part> layers() {
    SearchedLayers pulled = layers;
    return switch (state) {
      case PULLING, WAITING -> pulled == null ? List.of() : pulled.parts();
      case COMPLETE, FAILED -> List.of();
    };
  }

  /// What fetches ranges far ahead of the pull that is running now.
  void fetchedBy(FarReads by) {
    far = by;
  }

  @Override
  public void wanted(long offset, long length) {
    far.wanted(offset, length);
  }

  /// Everything is here and verified.
  void complete() {
    state = State.COMPLETE;
    reason = null;
    completed.complete(opened.join());
  }

  /// The pull goes on.
  void pulling() {
    state = State.PULLING;
    reason = null;
  }

  /// The pull broke, and begins again.
  void waiting(IOException why) {
    state = State.WAITING;
    reason = String.valueOf(why.getMessage());
  }

  /// It comes to nothing.
  void fail(IOException why) {
    state = State.FAILED;
    reason = String.valueOf(why.getMessage());
    opened.completeExceptionally(why);
    completed.completeExceptionally(why);
  }

  /// What was shown to readers was not what it should be.
  void discredit(IOException why) {
    List<Consumer<IOException>> listeners;
    synchronized (onDiscredit) {
      discredit = why;
      listeners = List.copyOf(onDiscredit);
    }
    fail(why);
    listeners.forEach(it -> it.accept(why));
  }

  /// Hears where the image turns out to be another than its digest says; at once where it has.
  void onDiscredit(Consumer<IOException> listener) {
    IOException known;
    synchronized (onDiscredit) {
      known = discredit;
      onDiscredit.add(listener);
    }
    if (known != null) {
      listener.accept(known);
    }
  }

  /// Called with the cache's lock held.
  int use(int by) {
    users += by;
    return users;
  }

  /// Ends the pull; who waits for it gets an exception.
  void cancel() {
    ImagePull running = pull;
    if (running != null) {
      running.cancel();
    }
    if (state != State.COMPLETE) {
      fail(new IOException("The image is not used any more"));
    }
  }

  /// Ends the pull and closes the disk.
  void close() throws IOException {
    cancel();
    if (opened.isDone() && !opened.isCompletedExceptionally()) {
      opened.join().close();
    }
  }
}
