package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.diskimage.MalformedImageException;
import dev.pvcpopulators.diskimage.qcow2.read.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.write.Qcow2Writer;
import dev.pvcpopulators.ext4.Ext4;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.LayerEdit;
import dev.pvcpopulators.ext4.block.Geometry;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerApplication;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerListener;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerPulls;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.imagetoqcow2layers.layer.RoomTally;
import dev.pvcpopulators.registry.BlobStore;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/// Makes the layers of one image that the store does not have.
public final class StackConversion {
  /// The maximum number of concurrent queries to a registry.
  private static final int QUESTIONS = 8;

  private static final int BUFFER_LENGTH = 256 << 10;

  private final Stack stack;
  private final List<LayerKey> keys;
  private final LayerStore store;
  private final LayerPulls pulls;
  private final BlobStore blobs;
  private final LayerListener listener;
  private int taken;

  private StackConversion(
      Stack stack,
      List<LayerKey> keys,
      int present,
      LayerStore store,
      LayerPulls pulls,
      BlobStore blobs,
      LayerListener listener) {
    this.blobs = blobs;
    this.stack = stack;
    this.keys = keys;
    this.store = store;
    this.pulls = pulls;
    this.listener = listener;
    taken = present;
  }

  /// The layers of an image, and the format in which they are stored.
  ///
  /// @param layers the layers, from the bottom up, at least one
  public record Stack(List<LayerSource> layers, Geometry geometry, boolean compression) {
    public Stack {
      layers = List.copyOf(layers);
      if (layers.isEmpty()) {
        throw new IllegalArgumentException("A stack has at least one layer");
      }
    }

    /// Returns the keys of these layers in a store, from the bottom up.
    public List<LayerKey> keys() {
      return LayerKey.of(geometry, compression, layers.stream().map(LayerSource::diffId).toList());
    }
  }

  /// The result of a conversion.
  ///
  /// @param keys the keys of the layers, from the bottom up; all are in the store
  /// @param made the number of these layers that this conversion made
  public record Converted(List<LayerKey> keys, int made) {
    public Converted {
      keys = List.copyOf(keys);
    }
  }

  /// Returns how many layers, counted from the bottom, need no pull. Three conditions hold for each
  /// of these layers. First, the store has the layer. Second, a verified pull has bound the layer
  /// to the blob that the image names. Third, the image's own source confirms, with the image's
  /// credentials, that the source has this blob. A chain ID alone proves nothing, because any
  /// client can write a configuration whose diff IDs give this chain ID.
  public static int shared(Stack stack, BlobStore blobs, LayerStore store)
      throws IOException, InterruptedException {
    List<LayerKey> keys = stack.keys();
    int present = store.present(keys);
    int bound = 0;
    while (bound < present
        && store.bound(keys.get(bound), stack.layers().get(bound).descriptor().digest())) {
      bound++;
    }
    Map<Digest, Descriptor> asked = new LinkedHashMap<>();
    for (LayerSource layer : stack.layers().subList(0, bound)) {
      asked.putIfAbsent(layer.descriptor().digest(), layer.descriptor());
    }
    Set<Digest> confirmed = confirmed(asked.values(), blobs);
    int shared = 0;
    while (shared < bound && confirmed.contains(stack.layers().get(shared).descriptor().digest())) {
      shared++;
    }
    return shared;
  }

  private static Set<Digest> confirmed(Collection<Descriptor> asked, BlobStore blobs)
      throws IOException, InterruptedException {
    List<Callable<Boolean>> questions = new ArrayList<>();
    asked.forEach(blob -> questions.add(() -> blobs.has(blob)));
    Set<Digest> confirmed = new HashSet<>();
    try (ExecutorService threads =
        Executors.newFixedThreadPool(QUESTIONS, Thread.ofVirtual().factory())) {
      Iterator<Future<Boolean>> answers = threads.invokeAll(questions).iterator();
      for (Descriptor blob : asked) {
        if (answers.next().get()) {
          confirmed.add(blob.digest());
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IllegalStateException("The query for blobs failed", e.getCause());
    }
    return confirmed;
  }

  /// Converts an image. Does not pull the layers that [#shared] counts.
  ///
  /// If another thread closes the blob store, the conversion ends with an [IOException]. An
  /// interrupt ends the conversion when the conversion next waits for the registry, for data or for
  /// another process.
  ///
  /// @param blobs the image's source, from which layers are pulled; the caller closes it
  /// @param store the store of the converted layers
  /// @throws FileSystemFullException if the file system is too small; the exception contains the
  ///   estimated size for all layers, as far as they could be read
  public static Converted run(
      Stack stack, BlobStore blobs, LayerStore store, LayerListener listener)
      throws IOException, InterruptedException {
    List<LayerKey> keys = stack.keys();
    try (LayerUse _ = store.use(keys)) {
      int present = shared(stack, blobs, store);
      stack.layers().subList(0, present).forEach(layer -> listener.stored(layer, false));
      List<LayerSource> missing = stack.layers().subList(present, keys.size());
      if (missing.isEmpty()) {
        return new Converted(keys, 0);
      }
      try (LayerPulls pulls = LayerPulls.start(missing, blobs, listener)) {
        return new StackConversion(stack, keys, present, store, pulls, blobs, listener).makeAll();
      }
    }
  }

  private Converted makeAll() throws IOException, InterruptedException {
    try {
      int made = 0;
      for (int index = taken; index < keys.size(); index++) {
        made += makeOne(index) ? 1 : 0;
      }
      return new Converted(keys, made);
    } catch (FileSystemFullException e) {
      throw forAll(e);
    } catch (MalformedImageException e) {
      throw pulls.judged(e);
    }
  }

  private boolean makeOne(int index) throws IOException, InterruptedException {
    Descriptor blob = stack.layers().get(index).descriptor();
    boolean made = store.make(keys.subList(0, index + 1), blob.digest(), file -> make(index, file));
    if (taken == index) {
      // The layer existed already, or another thread or process made it.
      taken++;
      if (store.bound(keys.get(index), blob.digest()) && blobs.has(blob)) {
        pulls.skip();
      } else {
        verify(pulls.next());
        store.bind(keys.get(index), blob.digest());
      }
    }
    listener.stored(stack.layers().get(index), made);
    return made;
  }

  /// Reads a layer to its end, which verifies the blob and the diff ID.
  private static void verify(InputStream tar) throws IOException {
    byte[] rest = new byte[BUFFER_LENGTH];
    while (tar.read(rest) >= 0) {
      // The bytes are discarded, because the content is in the store already.
    }
  }

  private void make(int index, Path file) throws IOException {
    Geometry geometry = stack.geometry();
    List<Path> files = keys.subList(0, index).stream().map(store::file).toList();
    Optional<String> backingName =
        index == 0 ? Optional.empty() : Optional.of(keys.get(index - 1).fileName());
    Qcow2Writer.Options options =
        new Qcow2Writer.Options(
            geometry.size(), QcowDevice.CLUSTER_BITS, backingName, stack.compression());
    taken = index + 1;
    try (Qcow2Chain below = Qcow2Chain.open(files, geometry.size());
        Qcow2Writer writer = Qcow2Writer.create(file, options, below)) {
      QcowDevice device = new QcowDevice(writer, geometry);
      if (index == 0) {
        Ext4.format(device, geometry);
      }
      try (LayerEdit edit = LayerEdit.open(device)) {
        LayerApplication.apply(pulls.next(), edit);
        edit.finish();
      }
      writer.finish();
    }
  }

  /// Returns a failure like `full`, but with a required size that includes the layers above the
  /// layer that did not fit.
  private FileSystemFullException forAll(FileSystemFullException full) throws IOException {
    RoomTally rest = new RoomTally();
    boolean goesOn = true;
    while (goesOn && taken < keys.size()) {
      taken++;
      goesOn = rest.addAll(pulls.next());
    }
    return rest.beyond(full, "the image");
  }
}
