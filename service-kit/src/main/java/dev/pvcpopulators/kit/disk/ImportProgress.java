package dev.pvcpopulators.kit.disk;

import dev.pvcpopulators.diskimage.ImageFormat;
import dev.pvcpopulators.diskimage.pipeline.ImportListener;
import dev.pvcpopulators.kit.lifecycle.Progress;
import java.util.List;
import org.jboss.logging.Logger;

/// Passes the progress of an import on to the status of the volume.
public record ImportProgress(Progress progress) implements ImportListener {
  private static final Logger LOG = Logger.getLogger(ImportProgress.class);

  @Override
  public void recognised(ImageFormat format, List<String> wrapping) {
    progress.format(format.wrappedIn(wrapping));
  }

  @Override
  public void readAgain(int pass) {
    LOG.infof("The image's tables come late: it is read again, pass=%d", pass);
  }

  @Override
  public void virtualSize(long bytes) {
    progress.virtualSize(bytes);
  }

  @Override
  public void decoded(long bytes) {
    progress.written(bytes);
  }
}
