package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.imagetoqcow2layers.layer.LayerListener;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.kit.lifecycle.Progress;
import dev.pvcpopulators.kit.source.SearchedLayers;
import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.volume.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jboss.logging.Logger;

/// Reports the progress of layers: the bytes of all layers, the current layer, and the state of
/// each layer as a [Part].
///
/// The length of a layer's tar archive is not known in advance. Therefore a layer's percentage is
/// the received share of its blob.
final class LayerProgress implements LayerListener, AutoCloseable {
  private static final Logger LOG = Logger.getLogger(LayerProgress.class);
  private static final int PERCENT = 100;

  private final List<LayerSource> layers;

  /// The index of each layer. Layers are compared by identity, because an image may contain the
  /// same layer twice.
  private final IdentityHashMap<LayerSource, Integer> indexes = new IdentityHashMap<>();

  private final ConversionReport report;
  private final Progress progress;
  private final long[] received;
  private final Part.State[] states;
  private int current = -1;
  private int shownPercent;

  /// Creates the report. At first, all layers are in the state `WAITING`.
  ///
  /// @param layers the image's layers, from the bottom up; the methods of this listener accept only
  ///   these objects
  LayerProgress(List<LayerSource> layers, ConversionReport report, Progress progress) {
    this.layers = layers;
    this.report = report;
    this.progress = progress;
    for (int index = 0; index < layers.size(); index++) {
      indexes.put(layers.get(index), index);
    }
    received = new long[layers.size()];
    states = new Part.State[layers.size()];
    Arrays.fill(states, Part.State.WAITING);
  }

  private int index(LayerSource layer) {
    return Objects.requireNonNull(indexes.get(layer), "a layer of another image");
  }

  @Override
  public void received(LayerSource layer, long bytes) {
    synchronized (this) {
      int index = index(layer);
      received[index] += bytes;
      states[index] = Part.State.MOVING;
    }
    // `progress.received` may wait for the lock of the lifecycle, so this thread must not hold the
    // lock of this object. A thread that holds the lock of the lifecycle may wait for the lock of
    // this object, to read the parts.
    progress.received(bytes);
  }

  @Override
  public void applied(LayerSource layer, long bytes) {
    show(layer);
    progress.written(bytes);
  }

  private synchronized void show(LayerSource layer) {
    int index = index(layer);
    long size = layer.descriptor().size();
    int percent = size == 0 ? PERCENT : (int) Math.min(PERCENT, received[index] * PERCENT / size);
    if (index != current) {
      current = index;
      LOG.infof(
          "Applying a layer: number=%d of=%d digest=%s bytes=%d",
          index + 1, layers.size(), layer.descriptor().digest(), size);
    } else if (percent == shownPercent) {
      return;
    }
    shownPercent = percent;
    progress.details(report.layer(index + 1, layer.descriptor().digest().toString(), percent));
  }

  @Override
  public synchronized void stored(LayerSource layer, boolean made) {
    states[index(layer)] = made ? Part.State.DONE : Part.State.SKIPPED;
  }

  /// Ends the report. If layers are in the state `MOVING`, the lowest of them changes to `FAILED`,
  /// because layers are applied one after the other. The others were only pulled in advance, and
  /// change to `WAITING`.
  @Override
  public synchronized void close() {
    Part.State left = Part.State.FAILED;
    for (int index = 0; index < states.length; index++) {
      if (states[index] == Part.State.MOVING) {
        states[index] = left;
        left = Part.State.WAITING;
      }
    }
  }

  /// Returns the current states of the lowest layers, at most [Part#MOST], from the bottom up.
  synchronized List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (int index = 0; index < Math.min(states.length, Part.MOST); index++) {
      Descriptor layer = layers.get(index).descriptor();
      parts.add(SearchedLayers.part(layer, states[index], received[index]));
    }
    return parts;
  }
}
