package dev.pvcpopulators.images;

/// What the images are called that the build leaves as archives; manifests name them so.
public final class ImageName {
  /// No registry is asked for an image of this name.
  static final String LOCAL = "localhost/pvc-populators";

  private ImageName() {}

  /// The name of a service's image.
  ///
  /// @param service as its module is called: `http-upload`
  /// @param version the project's, which is the tag
  public static String local(String service, String version) {
    return in(LOCAL, service, version);
  }

  static String in(String prefix, String service, String version) {
    return prefix + "/" + service + ":" + version;
  }
}
