package dev.pvcpopulators.images;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// A base image and two staged services. umoci and skopeo make the base image. The service
/// [#SERVICE] has a few small files.
///
/// @param base the directory that replaces the output of `base.sh`
/// @param staged the directory that replaces the output of `stage.sh`
record Fixture(Path base, Path staged) {
  static final String SERVICE = "registry-stream-iscsi";

  static Fixture make(Path directory) throws IOException, InterruptedException {
    Path base = Files.createDirectories(directory.resolve("base"));
    Path root = Files.createDirectories(directory.resolve("root/etc"));
    Files.writeString(root.resolve("debian_version"), "12.12\n");
    String layout = directory.resolve("layout").toString();
    String image = layout + ":base";
    Command.run("umoci", "init", "--layout", layout);
    Command.run("umoci", "new", "--image", image);
    Command.run("umoci", "insert", "--rootless", "--image", image, root.toString(), "/etc");
    Command.run("umoci", "config", "--image", image, "--config.env", "LANG=C.UTF-8");
    Command.run(
        "skopeo", "copy", "oci:" + image, "docker-archive:" + base.resolve("base.tar") + ":x:y");

    Path staged = directory.resolve("staged");
    Path application = staged.resolve(SERVICE).resolve("app");
    for (String file :
        new String[] {
          "quarkus-run.jar",
          "java.args",
          "app.aot",
          "app/service.jar",
          "lib/main/other.jar",
          "lib/main/dev.pvcpopulators.ours.jar",
          "native/lib.so"
        }) {
      Path path = application.resolve(file);
      Files.createDirectories(path.resolveSibling(""));
      Files.writeString(path, file);
    }
    Files.writeString(
        staged.resolve(SERVICE).resolve(Service.FILE),
        "base=plain\ndescription=an iSCSI target of a test\nports=3260\n");
    // The second service, `other`, needs the base image `qemu`, which the fixture does not contain.
    Files.writeString(
        Files.createDirectories(staged.resolve("other")).resolve(Service.FILE),
        "base=qemu\ndescription=of a test\n");
    return new Fixture(base, staged);
  }
}
