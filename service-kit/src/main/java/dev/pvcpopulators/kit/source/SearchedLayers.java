package dev.pvcpopulators.kit.source;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.disk.SearchListener;
import dev.pvcpopulators.volume.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The layers of an image that are searched for a disk, as [Part]s of a volume's status. The first
/// part is the topmost layer, which is also searched first. Thread-safe.
///
/// | State   | Meaning for a layer                                                     |
/// |---------|-------------------------------------------------------------------------|
/// | waiting | it has not been examined yet                                            |
/// | moving  | it is being searched, or its disk is being read                         |
/// | done    | it was read to its end                                                  |
/// | skipped | it is not needed, for example because it is below the disk's layer      |
/// | failed  | it was being searched or read when this object was closed               |
public final class SearchedLayers implements SearchListener, AutoCloseable {
  /// The layers from the top down.
  private final List<Descriptor> layers;

  private final Part.State[] states;
  private final long[] received;
  private int current = -1;
  private boolean found;

  /// Creates the parts, all of them in the state `waiting`.
  ///
  /// @param layers the layers of the image's manifest, from the bottom up
  public SearchedLayers(List<Descriptor> layers) {
    this.layers = List.copyOf(layers.reversed());
    states = new Part.State[layers.size()];
    Arrays.fill(states, Part.State.WAITING);
    received = new long[layers.size()];
  }

  /// Returns the topmost layers of an image, at most [Part#MOST] of them, in the state `skipped`.
  /// These are the parts in the status of a volume that already has the disk.
  public static List<Part> skipped(List<Descriptor> layers) {
    SearchedLayers skipped = new SearchedLayers(layers);
    skipped.found();
    return skipped.parts();
  }

  @Override
  public synchronized void layer(Descriptor layer, int fromTop) {
    finish();
    // The search skipped the layers between the previous layer and this layer. Most of the skipped
    // layers are empty.
    for (int index = current + 1; index < fromTop; index++) {
      states[index] = Part.State.SKIPPED;
    }
    current = fromTop;
    states[current] = Part.State.MOVING;
  }

  @Override
  public synchronized void received(long bytes) {
    // The last bytes of an ended transfer may be reported after [#restarted] has reset the state.
    if (current >= 0) {
      received[current] += bytes;
    }
  }

  @Override
  public synchronized void restarted() {
    if (found) {
      // Resets only the disk's layer; the counts of the other layers stay.
      received[current] = 0;
    } else {
      Arrays.fill(states, Part.State.WAITING);
      Arrays.fill(received, 0);
      current = -1;
    }
  }

  /// Records that the disk was found. Each layer that was not examined becomes `skipped`.
  public synchronized void found() {
    found = true;
    for (int index = 0; index < states.length; index++) {
      if (states[index] == Part.State.WAITING) {
        states[index] = Part.State.SKIPPED;
      }
    }
  }

  /// Records that the current layer was read to its end.
  public synchronized void finish() {
    if (current >= 0) {
      states[current] = Part.State.DONE;
    }
  }

  /// Ends the search. If a layer is still being searched or read, its state becomes `failed`.
  @Override
  public synchronized void close() {
    if (current >= 0 && states[current] == Part.State.MOVING) {
      states[current] = Part.State.FAILED;
    }
  }

  /// Returns the present state of the topmost layers, at most [Part#MOST] of them.
  public synchronized List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (int index = 0; index < Math.min(states.length, Part.MOST); index++) {
      parts.add(part(layers.get(index), states[index], received[index]));
    }
    return parts;
  }

  /// Converts a layer to a [Part] of a volume's status.
  public static Part part(Descriptor layer, Part.State state, long received) {
    long done = Math.min(received, layer.size());
    return new Part(Part.Kind.LAYER, layer.digest().toString(), state, done, layer.size());
  }
}
