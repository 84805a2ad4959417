package dev.pvcpopulators.imagetoqcow2layers;

import dev.pvcpopulators.imagetoqcow2layers.layer.LayerListener;
import dev.pvcpopulators.imagetoqcow2layers.layer.LayerSource;
import dev.pvcpopulators.volume.Progress;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Tells how the layers come along: bytes of all, and which one is at work.
///
/// How much of a layer was applied is not known in advance, as the tar's length stands nowhere: its
/// percentage is that of its blob.
final class LayerProgress implements LayerListener {
  private static final Logger LOG = Logger.getLogger(LayerProgress.class);
  private static final int PERCENT = 100;

  private final List<LayerSource> layers;
  private final ConversionReport report;
  private final Progress progress;
  private final long[] received;
  private @Nullable LayerSource current;
  private int shownPercent;

  LayerProgress(List<LayerSource> layers, ConversionReport report, Progress progress) {
    this.layers = layers;
    this.report = report;
    this.progress = progress;
    this.received = new long[layers.size()];
  }

  @Override
  public synchronized void received(LayerSource layer, long bytes) {
    progress.received(bytes);
    received[layers.indexOf(layer)] += bytes;
  }

  @Override
  public synchronized void applied(LayerSource layer, long bytes) {
    progress.written(bytes);
    int index = layers.indexOf(layer);
    long size = layer.descriptor().size();
    // An image may have the same layer twice: together they are more than one.
    int percent = size == 0 ? PERCENT : (int) Math.min(PERCENT, received[index] * PERCENT / size);
    if (!layer.equals(current)) {
      current = layer;
      LOG.infof(
          "Applying a layer: number=%d of=%d digest=%s bytes=%d",
          index + 1, layers.size(), layer.descriptor().digest(), size);
    } else if (percent == shownPercent) {
      return;
    }
    shownPercent = percent;
    progress.details(report.layer(index + 1, layer.descriptor().digest().toString(), percent));
  }
}
