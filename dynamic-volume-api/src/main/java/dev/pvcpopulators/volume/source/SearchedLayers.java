package dev.pvcpopulators.volume.source;

import dev.pvcpopulators.registry.Descriptor;
import dev.pvcpopulators.registry.disk.SearchListener;
import dev.pvcpopulators.volume.Part;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The layers of an image in which a disk is searched, as a volume's [Part]s, the topmost first:
/// that is the order in which they are pulled. Thread-safe.
///
/// | State   | Of a layer means                                                        |
/// |---------|-------------------------------------------------------------------------|
/// | waiting | nobody has looked at it yet                                             |
/// | moving  | it is looked through, or its disk is being read                         |
/// | done    | it was read to its end                                                  |
/// | skipped | it is below the layer with the disk, or holds nothing: nobody needs it  |
/// | failed  | reading it did not come to its end                                      |
public final class SearchedLayers implements SearchListener, AutoCloseable {
  /// From the top down.
  private final List<Descriptor> layers;

  private final Part.State[] states;
  private final long[] received;
  private int current = -1;
  private boolean found;

  /// Nobody has looked at any.
  ///
  /// @param layers of the image's manifest, from the bottom up
  public SearchedLayers(List<Descriptor> layers) {
    this.layers = List.copyOf(layers.reversed());
    states = new Part.State[layers.size()];
    Arrays.fill(states, Part.State.WAITING);
    received = new long[layers.size()];
  }

  /// All of an image whose disk is there already.
  public static List<Part> skipped(List<Descriptor> layers) {
    SearchedLayers skipped = new SearchedLayers(layers);
    skipped.found();
    return skipped.parts();
  }

  @Override
  public synchronized void layer(Descriptor layer, int fromTop) {
    finish();
    // Those between hold nothing, and a search passes over them.
    for (int index = current + 1; index < fromTop; index++) {
      states[index] = Part.State.SKIPPED;
    }
    current = fromTop;
    states[current] = Part.State.MOVING;
  }

  @Override
  public synchronized void received(long bytes) {
    // Of a transfer that was ended, the last bytes may be told late.
    if (current >= 0) {
      received[current] += bytes;
    }
  }

  @Override
  public synchronized void restarted() {
    if (found) {
      // The disk's layer only: what was seen in the others stays.
      received[current] = 0;
    } else {
      Arrays.fill(states, Part.State.WAITING);
      Arrays.fill(received, 0);
      current = -1;
    }
  }

  /// The layer that moves has the disk: nobody needs those that nobody has looked at.
  public synchronized void found() {
    found = true;
    for (int index = 0; index < states.length; index++) {
      if (states[index] == Part.State.WAITING) {
        states[index] = Part.State.SKIPPED;
      }
    }
  }

  /// The layer that moves was read to its end.
  public synchronized void finish() {
    if (current >= 0) {
      states[current] = Part.State.DONE;
    }
  }

  /// Nothing moves any more: what did has failed.
  @Override
  public synchronized void close() {
    if (current >= 0 && states[current] == Part.State.MOVING) {
      states[current] = Part.State.FAILED;
    }
  }

  /// As they are now, at most [Part#MOST].
  public synchronized List<Part> parts() {
    List<Part> parts = new ArrayList<>();
    for (int index = 0; index < Math.min(states.length, Part.MOST); index++) {
      Descriptor layer = layers.get(index);
      parts.add(
          new Part(
              Part.Kind.LAYER,
              layer.digest().toString(),
              states[index],
              Math.min(received[index], layer.size()),
              layer.size()));
    }
    return parts;
  }
}
