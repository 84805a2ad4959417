package dev.pvcpopulators.kubernetes.check;

import dev.pvcpopulators.images.ImageName;
import dev.pvcpopulators.kubernetes.manifest.PopulatorService;
import dev.pvcpopulators.kubernetes.manifest.Project;
import dev.pvcpopulators.kubernetes.manifest.Rendering;
import dev.pvcpopulators.kubernetes.manifest.Surroundings;
import dev.pvcpopulators.kubernetes.manifest.Workload;
import io.fabric8.kubernetes.api.model.Container;
import java.util.ArrayList;
import java.util.List;

/// Checks that our images have the names and the version that the project's build gives them. Every
/// other image needs a digest, or a tag other than `latest`.
final class Images implements Check {
  private static final String OPERATOR = ImageName.local("operator", Project.VERSION);

  @Override
  public List<String> faults(Rendering rendering, Surroundings surroundings) {
    List<String> faults = new ArrayList<>();
    for (Workload workload : rendering.workloads()) {
      for (Container container : workload.containers()) {
        image(workload.id(container), container.getImage(), faults);
      }
    }
    return faults;
  }

  private static void image(String id, String image, List<String> faults) {
    PopulatorService.ofImage(image)
        .ifPresentOrElse(
            service -> {
              if (!image.equals(service.image())) {
                faults.add(id + ": expected the image " + service.image() + ", found " + image);
              }
            },
            () -> {
              if (PopulatorService.builtHere(image) && !image.equals(OPERATOR)) {
                faults.add(id + ": the project builds no image " + image);
              }
              pinned(id, image, faults);
            });
  }

  private static void pinned(String id, String image, List<String> faults) {
    String last = image.substring(image.lastIndexOf('/') + 1);
    boolean named = last.contains(":") || last.contains("@");
    if (!named || last.endsWith(":latest")) {
      faults.add(id + ": expected a tag or a digest besides latest, found " + image);
    }
  }
}
