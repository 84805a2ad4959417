package dev.pvcpopulators.images;

import com.google.cloud.tools.jib.api.CacheDirectoryCreationException;
import com.google.cloud.tools.jib.api.InvalidImageReferenceException;
import com.google.cloud.tools.jib.api.RegistryException;
import com.google.cloud.tools.jib.api.RegistryUnauthorizedException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// The program that makes the services' container images; [Arguments#USAGE] says how.
///
/// It ends with a status of sysexits.h.
public final class BuildImages {
  private static final int OK = 0;
  private static final int USAGE = 64;
  private static final int NO_INPUT = 66;
  private static final int UNAVAILABLE = 69;
  private static final int SOFTWARE = 70;
  private static final int IO_ERROR = 74;
  private static final int NO_PERMISSION = 77;

  private BuildImages() {}

  /// Makes the images, and leaves with the status.
  public static void main(String[] words) {
    System.exit(run(List.of(words)));
  }

  static int run(List<String> words) {
    if (words.contains("--help")) {
      System.out.print(Arguments.USAGE);
      return OK;
    }
    Arguments arguments;
    try {
      arguments = Arguments.parse(words);
    } catch (UsageException e) {
      System.err.println(e.getMessage() + "\n\n" + Arguments.USAGE);
      return USAGE;
    }
    ImageBuild build = new ImageBuild(arguments);
    for (Service service : arguments.services()) {
      int status = make(build, service);
      if (status != OK) {
        return status;
      }
    }
    return OK;
  }

  private static int make(ImageBuild build, Service service) {
    try {
      build.build(service).forEach(System.out::println);
      return OK;
    } catch (NoSuchFileException e) {
      return failed(
          NO_INPUT, service, e.getMessage() + " is not there; base.sh and stage.sh make it");
    } catch (InvalidImageReferenceException e) {
      return failed(USAGE, service, e.getMessage());
    } catch (RegistryUnauthorizedException e) {
      return failed(NO_PERMISSION, service, e.getMessage());
    } catch (RegistryException e) {
      return failed(UNAVAILABLE, service, e.getMessage());
    } catch (IOException | CacheDirectoryCreationException e) {
      return failed(IO_ERROR, service, e.toString());
    } catch (ExecutionException e) {
      return failed(SOFTWARE, service, String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed(SOFTWARE, service, "interrupted");
    }
  }

  private static int failed(int status, Service service, @Nullable String reason) {
    System.err.println("Cannot make the image of " + service.id() + ": " + reason);
    return status;
  }
}
