package dev.pvcpopulators.images;

/// The names of the images that the build writes as archives and that manifests use.
public final class ImageName {
  /// The prefix of the names of local images. No registry serves images with this prefix.
  static final String LOCAL = "localhost/pvc-populators";

  private ImageName() {}

  /// Returns the name of a service's image.
  ///
  /// @param service name of the service's module, such as `http-upload`
  /// @param version the project's version, which is the tag
  public static String local(String service, String version) {
    return in(LOCAL, service, version);
  }

  static String in(String prefix, String service, String version) {
    return prefix + "/" + service + ":" + version;
  }
}
