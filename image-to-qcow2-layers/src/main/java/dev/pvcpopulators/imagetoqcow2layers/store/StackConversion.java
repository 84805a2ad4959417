package dev.pvcpopulators.imagetoqcow2layers.store;

import dev.pvcpopulators.diskimage.qcow2.Qcow2Chain;
import dev.pvcpopulators.diskimage.qcow2.Qcow2Writer;
import dev.pvcpopulators.ext4.Ext4;
import dev.pvcpopulators.ext4.FileSystemFullException;
import dev.pvcpopulators.ext4.Geometry;
import dev.pvcpopulators.ext4.LayerEdit;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerApplication;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerListener;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerPulls;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerReport;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.imagetoqcow2layers.layer.RoomTally;
import dev.pvcpopulators.registry.BlobStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Makes the layers of one image that the store has not.
public final class StackConversion {
  private final Stack stack;
  private final List<LayerKey> keys;
  private final LayerStore store;
  private final LayerPulls pulls;
  private final LayerListener listener;
  private final List<LayerReport> reports = new ArrayList<>();
  private int taken;

  private StackConversion(
      Stack stack,
      List<LayerKey> keys,
      int present,
      LayerStore store,
      LayerPulls pulls,
      LayerListener listener) {
    this.stack = stack;
    this.keys = keys;
    this.store = store;
    this.pulls = pulls;
    this.listener = listener;
    taken = present;
  }

  /// What is made, and how.
  ///
  /// @param layers from the bottom up, at least one
  public record Stack(List<LayerSource> layers, Geometry geometry, boolean compression) {
    public Stack {
      layers = List.copyOf(layers);
      if (layers.isEmpty()) {
        throw new IllegalArgumentException("A stack has at least one layer");
      }
    }

    /// The names of its layers in a store, from the bottom up.
    public List<LayerKey> keys() {
      return LayerKey.of(geometry, compression, layers.stream().map(LayerSource::diffId).toList());
    }
  }

  /// What came of it.
  ///
  /// @param keys of the layers, from the bottom up; all are in the store now
  /// @param made how many of them were not there before, and were made here
  /// @param reports of those that were made, from the bottom up
  public record Converted(List<LayerKey> keys, int made, List<LayerReport> reports) {
    public Converted {
      keys = List.copyOf(keys);
      reports = List.copyOf(reports);
    }
  }

  /// Converts. Pulls nothing of the layers that are there already.
  ///
  /// Closing the blobs' store from another thread ends it with an [IOException]; its own thread
  /// must not be interrupted but while it waits for another process.
  ///
  /// @param blobs stays the caller's
  /// @throws FileSystemFullException naming the size that all layers need, as far as they could be
  ///   read
  public static Converted run(
      Stack stack, BlobStore blobs, LayerStore store, LayerListener listener)
      throws IOException, InterruptedException {
    List<LayerKey> keys = stack.keys();
    try (LayerUse _ = store.use(keys)) {
      int present = store.present(keys);
      stack.layers().subList(0, present).forEach(layer -> listener.stored(layer, false));
      List<LayerSource> missing = stack.layers().subList(present, keys.size());
      if (missing.isEmpty()) {
        return new Converted(keys, 0, List.of());
      }
      try (LayerPulls pulls = LayerPulls.start(missing, blobs, listener)) {
        return new StackConversion(stack, keys, present, store, pulls, listener).makeAll();
      }
    }
  }

  private Converted makeAll() throws IOException, InterruptedException {
    try {
      int made = 0;
      for (int index = taken; index < keys.size(); index++) {
        made += makeOne(index) ? 1 : 0;
      }
      return new Converted(keys, made, reports);
    } catch (FileSystemFullException e) {
      throw forAll(e);
    }
  }

  private boolean makeOne(int index) throws IOException, InterruptedException {
    boolean made = store.make(keys.subList(0, index + 1), file -> make(index, file));
    if (taken == index) {
      // Somebody else made it meanwhile.
      pulls.skip();
      taken++;
    }
    listener.stored(stack.layers().get(index), made);
    return made;
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
        reports.add(LayerApplication.apply(pulls.next(), edit));
        edit.finish();
      }
      writer.finish();
    }
  }

  /// Adds what the layers above would have needed.
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
